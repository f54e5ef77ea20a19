import type { Condition, JsonPath } from '../place.ts';

/** The URL under which the vendor knows us, from the configuration, with the query as received; never from `Host`. */
export type UrlForm =
  /** As configured. */
  | 'registered'
  /** With the scheme's port written out. */
  | 'with-port'
  /** HubSpot decodes some escapes before it signs. */
  | 'hubspot';

/** One piece of what is signed. Headers are taken as received; the body is the raw bytes. */
export type SignedPart =
  | 'body'
  | 'timestamp'
  | 'method'
  | { url: UrlForm }
  /** Names and values of the form, sorted by name, without separators (Twilio). */
  | 'formSorted'
  | { literal: string }
  | { header: string }
  | { json: JsonPath };

/** A configured secret as a key: its UTF-8 bytes, what it decodes to (`whsec_`, `whpk_` before it is dropped), or a public key. */
export type KeyForm = 'text' | 'base64' | 'hex' | 'ed25519-hex' | 'ed25519-base64' | 'p256-spki';

/** Where signatures stand: one header, every header whose name matches (with one key the vendor sends `first`), or the JSON body. */
type SignatureAt = { header: string } | { headers: RegExp; first: string } | { json: JsonPath };

/**
 * When this attempt was signed: in a header, as an item of the signature header (`t=`), or in the body. Without one
 * nothing bounds a replay but de-duplication.
 */
export type SigningTime = ({ header: string } | { item: string } | { json: JsonPath }) & {
  /** Left out: Unix seconds. */
  unit?: 'ms' | 'iso';
  /** Seconds that it may be from our clock, either way; left out: 300. */
  window?: number;
};

/** What all schemes share that sign bytes with one key. */
export type SignedBytes = {
  signed: readonly SignedPart[];
  signature: SignatureAt & {
    /** Set where the value is a list. Items without the prefix (other versions) are skipped, any match suffices. */
    separator?: string;
    prefix?: string;
  };
  timestamp?: SigningTime;
};

export type HmacScheme = SignedBytes & {
  kind: 'hmac';
  algorithm: 'sha1' | 'sha256' | 'sha512';
  key: 'text' | 'base64' | 'hex';
  encoding: 'hex' | 'base64';
  /** Other bytes of the same body, tried after the plain ones, where the vendor is known to sign them. */
  bodyForms?: readonly BodyForm[];
};

/** `escaped`: characters beyond ASCII as `\uXXXX`. `escaped-slash`: and `/` as `\/`. */
export type BodyForm = 'escaped' | 'escaped-slash';

/** Ed25519 or ECDSA P-256 with SHA-256 (DER, base64); the source's secrets are public keys. */
export type PublicKeyScheme = SignedBytes &
  (
    | { kind: 'ed25519'; key: 'ed25519-hex' | 'ed25519-base64'; encoding: 'hex' | 'base64' }
    | { kind: 'ecdsa'; key: 'p256-spki'; encoding: 'base64' }
  );

/**
 * A text that must be there: one of the source's secrets, or what a param says (separated by blanks where several).
 * With `param` it is only judged where the source has that param; `VendorProfile.params` says when it must.
 * `item`: judged for each item of a batch, which alone is dropped; the delivery needs one that passes.
 */
export type TokenScheme = {
  kind: 'token';
  at: { header: string } | { query: string } | { json: JsonPath } | { item: JsonPath };
  prefix?: string;
  param?: string;
};

/** SHA-256 over a secret and parts, without HMAC. Weak: only where an operator asks for it by name. */
export type HashScheme = {
  kind: 'hash';
  /** Parts after the secret. */
  signed: readonly SignedPart[];
  signature: { header: string };
};

/** SHA-256 of the body in the query, hex. Proves nothing alone: only in `allOf` with a signature over the URL. */
export type BodyDigestScheme = { kind: 'body-digest'; at: { query: string } };

export type JwtScheme = {
  kind: 'jwt';
  /** A header with what stands before the token, or a list in the body of which every token must pass. */
  at: { header: string; prefix: string } | { json: JsonPath };
  algorithm: 'RS256' | 'ES256' | 'HS256';
  /** A fixed URL, never one that the message names; or the source's secrets. The param `jwks` may hold the set instead. */
  keys: { jwks: string } | 'secrets';
  /**
   * Texts, or a pattern where the issuer holds a tenant: a group of it that is named after a claim must be that claim, and
   * a key that names an issuer itself (Microsoft's do) signs for that one only. Left out: the vendor's tokens name none
   * that we could know.
   */
  issuer?: readonly string[] | RegExp;
  /**
   * A param, else the URL under which the vendor knows us; null: the tokens have none. `own`: one of the param's, separated
   * by blanks; never the URL, and only judged where the source has the param.
   */
  audience: { param: string; own?: true } | null;
  /** Claims that must be exactly this, or what a param says. */
  claims?: Readonly<Record<string, string | boolean | { param: string }>>;
  /** Of these claims one must be there, and each that is there must be exactly this. */
  anyClaim?: { names: readonly string[]; is: string };
  /**
   * Where only items of a batch with something at `holding` need tokens: such an item needs one among them, all of which
   * must pass, whose `claim` is what stands at `is` in it. Without such an item no token is looked at.
   */
  items?: { holding: JsonPath; claim: string; is: JsonPath };
  /** Seconds since `iat`, where the vendor bounds it below `exp`. */
  maxAge?: number;
  /** What binds the request to the token; nothing does where it is left out. */
  binds?: { bodySha256: string } | { atlassianQsh: string };
};

/** RSA over fields of the body with the key of a certificate that the body names (AWS SNS). */
export type X509Scheme = {
  kind: 'x509';
  certificate: JsonPath;
  /** What the certificate's URL must match, whole. */
  url: RegExp;
  signature: JsonPath;
  /** The hash by the version that the message states; other versions are refused. */
  version: JsonPath;
  hashes: Readonly<Record<string, 'RSA-SHA1' | 'RSA-SHA256'>>;
  /** Signed fields by message type, each as `name\nvalue\n`; absent ones are left out. */
  type: JsonPath;
  fields: Readonly<Record<string, readonly string[]>>;
};

export type Scheme =
  | HmacScheme
  | PublicKeyScheme
  | TokenScheme
  | HashScheme
  | BodyDigestScheme
  | JwtScheme
  | X509Scheme;

/**
 * What a delivery must prove. `choose`: the first entry whose conditions all hold decides alone, so that a better proof
 * that is there and wrong is never made good by a weaker one; none: refused.
 */
export type Proof =
  | Scheme
  | { kind: 'anyOf'; of: readonly Proof[] }
  | { kind: 'allOf'; of: readonly Proof[] }
  | { kind: 'choose'; of: readonly { when: readonly Condition[]; proof: Proof }[] };

/** A signing time further from ours than this, either way, is refused. */
export const replayWindowSeconds = 300;
