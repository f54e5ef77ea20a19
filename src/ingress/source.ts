import type { Announcement } from '../domain/announcement.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { BodyKind } from './body-format.ts';
import type { Greet } from './create-greeter.ts';
import type { Body, BodyFault } from './read-body.ts';
import type { VendorProfile } from './vendors/profile.ts';
import type { HmacScheme } from './verify/scheme.ts';
import type { Headers, Verify } from './verify/verdict.ts';

/** What ingress needs to know of one entry of `sources[]`; the configuration's own type satisfies it. */
export type SourceSettings = {
  id: string;
  /** The Binding that all events of this source belong to. */
  binding?: string | undefined;
  /** The workspace directory, absolute. */
  cwd?: string | undefined;
} & (
  | {
      type: 'webhook';
      pack?: string | undefined;
      packs?: readonly string[] | undefined;
      signature?:
        | {
            header: string;
            algorithm: HmacScheme['algorithm'];
            encoding: 'hex' | 'base64';
            prefix: string;
            timestamp_header?: string | undefined;
          }
        | undefined;
    }
  | {
      type: 'vendor';
      vendor: string;
      pack: string;
      refs?: Readonly<Record<string, string>> | undefined;
      /** Its vendor has yet to plant the key that it will sign with. */
      pending?: boolean | undefined;
    }
);

export type VendorSettings = Extract<SourceSettings, { type: 'vendor' }>;

/** One verified delivery with its body read. */
export type Arrival = {
  headers: Headers;
  query: string;
  raw: Buffer;
  body: Body;
  /** RFC 3339, when we had the last byte. */
  receivedAt: string;
  /** Set where items prove themselves: whether this one did. */
  admits?: ((item: unknown) => boolean) | undefined;
};

export type Mapped =
  | {
      ok: true;
      delivery: string;
      announcements: readonly Announcement[];
      /** Items that did not prove themselves; nothing of them is kept. */
      unproven?: number;
    }
  | { ok: false; code: ErrorCode; detail: string; faults?: readonly string[] };

/** One configured way in, with everything that can be settled before a delivery arrives. */
export type Source = {
  id: string;
  /** POST, and those of its handshakes. */
  methods: ReadonlySet<string>;
  takes: readonly BodyKind[];
  /** Reads a body that is not simply JSON or a form; null where it is. */
  read: ((headers: Headers, raw: Buffer) => Body | BodyFault) | null;
  verify: Verify;
  greet: Greet;
  /** A promise only where items have to be decrypted. */
  map: (arrival: Arrival) => Mapped | Promise<Mapped>;
  /** What the sender wants to hear; null where it is 202 `{"accepted":n}`. */
  answer: VendorProfile['answer'];
  /** Refusals whose own status would harm, and the status instead. */
  refusals: NonNullable<VendorProfile['refusals']>;
};
