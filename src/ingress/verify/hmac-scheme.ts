/** One piece of what is signed. Headers are taken as received; the body is the raw bytes. */
export type SignedPart = 'body' | 'timestamp' | { literal: string } | { header: string };

/**
 * How a sender signs with an HMAC, as data; the same data drives the verifier and the signer. Header names are lower
 * case. There is no "accept when the header is missing" and no algorithm that the message chooses.
 */
export type HmacScheme = {
  kind: 'hmac';
  algorithm: 'sha1' | 'sha256' | 'sha512';
  /** `text`: the secret's UTF-8 bytes, all of it. `base64`: what follows `whsec_` (optional), decoded. */
  key: 'text' | 'base64';
  signed: readonly SignedPart[];
  signature: {
    header: string;
    /** Set where the header is a list. Items without the prefix (other versions) are skipped, any match suffices. */
    separator: string | null;
    prefix: string;
    encoding: 'hex' | 'base64';
  };
  /**
   * Unix seconds at which this attempt was signed, in a header of its own or as an item of the signature header. Null
   * where the vendor signs no time: then nothing bounds a replay but de-duplication.
   */
  timestamp: { header: string } | { item: string } | null;
};

/** A signing time further from ours than this, either way, is refused. */
export const replayWindowSeconds = 300;
