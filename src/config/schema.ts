import { z } from 'zod';
import { capabilities } from '../domain/directory.ts';
import { packIdPattern } from '../policy/parse-surface.ts';

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const unitBytes = { b: 1, kb: 1024, mb: 1024 * 1024 } as const;

/** `500ms`, `5s`, `10m`, `2h`, `90d` → milliseconds. */
const duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, 'expected a duration such as 500ms, 5s, 10m, 2h or 90d')
  .transform((text) => Number.parseInt(text, 10) * unitMs[text.replace(/^\d+/, '') as keyof typeof unitMs]);

/** `64kb`, `1mb` → bytes. */
const size = z
  .string()
  .regex(/^\d+(b|kb|mb)$/, 'expected a size such as 64kb or 1mb')
  .transform(
    (text) => Number.parseInt(text, 10) * unitBytes[text.replace(/^\d+/, '') as keyof typeof unitBytes],
  );

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'expected lower-case letters, digits, - and _, at most 64')
  .describe('a name used in URLs, logs and queue names');

/** As `id` of surface.json may be written; packs of one author are often called `acme.mail`. */
const packName = z
  .string()
  .regex(packIdPattern, 'expected lower-case letters, digits, ".", "_" and "-", at most 64');

/** A secret is never in the file itself: it is named. A file path is relative to the configuration file. */
export const secretRef = z.union(
  [z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })],
  {
    error: 'expected { env: NAME } or { file: path }; a secret itself never stands in the configuration',
  },
);

const secrets = z.array(secretRef).min(1, 'at least one secret is needed; nothing is accepted unsigned');
const ref = z.string().min(1);

/** In CIDR notation. */
const network = z.union([z.cidrv4(), z.cidrv6()], {
  error: 'expected a network such as 192.0.2.0/24, 203.0.113.7/32 or 2001:db8::/32',
});

const sourceBase = {
  id: name,
  /** Nothing is taken from it; what waits there goes on waiting, and providers are told to come again. */
  paused: z.boolean().default(false),
  /** Nothing accepted for longer: it is shown as silent. */
  silence_after: duration.optional(),
  /** A Binding that all events of this source belong to; without it they are matched by account. */
  binding: z.string().min(1).optional(),
  /** The workspace directory that events of `local` land must stay in, relative to the configuration file. */
  cwd: z.string().min(1).optional(),
};

/** A plain HMAC over the raw body, or over `<timestamp>.<body>` where `timestamp_header` is set. */
const hmacSignature = z.strictObject({
  header: z.string().min(1),
  algorithm: z.enum(['sha1', 'sha256', 'sha512']).default('sha256'),
  encoding: z.enum(['hex', 'base64']).default('hex'),
  prefix: z.string().default(''),
  timestamp_header: z.string().min(1).optional(),
});

const httpSource = {
  ...sourceBase,
  body_limit: size.optional(),
  /** Deliveries that have proven themselves; without `burst`, what one second lets through. */
  rate_limit: z
    .strictObject({ per_second: z.number().positive().max(1_000_000), burst: z.int().min(1).optional() })
    .optional(),
  /** From where it may be called. */
  networks: z.array(network).min(1, 'no network at all would refuse every delivery; leave it out').optional(),
};

const webhookSource = z.strictObject({
  ...httpSource,
  type: z.literal('webhook'),
  /** The one pack it announces for, or several: then each announcement names its own in `pack`. */
  pack: packName.optional(),
  packs: z.array(packName).min(1).optional(),
  secrets,
  /** Left out: Standard Webhooks. */
  signature: hmacSignature.optional(),
});

const vendorSource = z.strictObject({
  ...httpSource,
  type: z.literal('vendor'),
  vendor: name,
  pack: packName,
  /** Left out only where the vendor has none, or has yet to plant its own. */
  secrets: secrets.default([]),
  /** What the vendor needs beside secrets; docs/vendors.md names it for each. */
  params: z.record(z.string().min(1), z.union([z.string().min(1), secretRef])).default({}),
  /** The vendor has yet to plant the key that it will sign with; the first that comes is taken, and no other. */
  pending: z.boolean().default(false),
  /** Vendor event → ref; `*` may end a name. Replaces the profile's own mapping. */
  refs: z.record(z.string().min(1), ref).optional(),
});

/** A colon parts the keys of BullMQ on Redis, so it takes none in a name. */
const bullName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'expected letters, digits, ".", "_" and "-", at most 128');

const queueSource = z.strictObject({
  ...sourceBase,
  type: z.literal('queue'),
  /** The BullMQ queue, in our queue store, whose jobs are announcements. */
  queue: bullName,
  /** BullMQ's `prefix` of whoever adds the jobs; without meaning on Postgres. Braces make a Redis Cluster hash tag. */
  prefix: z
    .string()
    .regex(/^[A-Za-z0-9_.{}-]{1,64}$/, 'expected letters, digits, ".", "_", "-" and braces, at most 64')
    .default('bull'),
  pack: packName.optional(),
  packs: z.array(packName).min(1).optional(),
});

const noNul = (text: string): boolean => !text.includes('\0');

const processSource = z.strictObject({
  ...sourceBase,
  type: z.literal('process'),
  /** A pack of kind `sense_only`. */
  pack: packName,
  /** Program and arguments, handed over as they are: there is no shell. */
  command: z
    .array(z.string().refine(noNul, 'must not hold NUL'))
    .min(1, 'the program is missing')
    .refine(([program]) => program !== '', 'the program is empty'),
  /** Names of the environment variables that the process is given; it is given no other. */
  env: z.array(z.string().regex(/^[^=\0]+$/, 'expected the name of an environment variable')).default([]),
  max_line: size.prefault('1mb'),
});

export const configSchema = z.strictObject({
  version: z.literal(1),
  /** Tenant of Principals that name none. */
  tenant: z.string().min(1),
  http: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(8787),
      /** The address under which providers reach us; vendors that sign URLs sign this one. */
      public_url: z.url().optional(),
      body_limit: size.prefault('1mb'),
      /** Whose X-Forwarded-For is believed. */
      trusted_proxies: z.array(network).default([]),
    })
    .prefault({}),
  packs: z
    .array(
      z.strictObject({
        dir: z.string().min(1),
        routes: z.record(ref, z.enum(['inbox', 'silent'])).default({}),
      }),
    )
    .min(1, 'at least one pack is needed'),
  sources: z
    .array(z.discriminatedUnion('type', [webhookSource, vendorSource, queueSource, processSource]))
    .default([]),
  queue: z
    .strictObject({
      url: secretRef.optional(),
      partitions: z.int().min(1).max(256).default(4),
      /** Batches waiting over all partitions before ingress answers 503. */
      max_waiting: z.int().min(1).default(100_000),
    })
    .prefault({}),
  database: z.strictObject({ url: secretRef.optional() }).prefault({}),
  sinks: z
    .strictObject({
      /** A BullMQ queue that gets one job per record of route `inbox`. */
      inbox_queue: z.strictObject({ name }).optional(),
      /** Unread counts at GET /v1/badges; they are counted, not kept, so there is nothing to set. */
      badges: z.strictObject({}).optional(),
    })
    .prefault({}),
  wakes: z
    .array(
      z.strictObject({
        id: name,
        on: z.strictObject({ pack: packName, ref }),
        steps: z
          .array(
            z.strictObject({
              pack: packName,
              verb: z.string().min(1),
              /** A string that starts with `$.` selects from the record; all else is sent as it is. */
              args: z.record(z.string(), z.json()).default({}),
            }),
          )
          .min(1),
        coalesce: duration.optional(),
        budget: z.strictObject({ per_principal_per_hour: z.int().min(1) }).optional(),
      }),
    )
    .default([]),
  execute: z
    .strictObject({
      /** Both, or neither: a product that embeds us hands in its own driver instead (docs/embed.md). */
      url: z.url().optional(),
      token: secretRef.optional(),
      principal: z.strictObject({ id: z.string().min(1), kind: z.string().min(1) }),
      /** Execute's own grants; `sense.enable` means nothing here. */
      grants: z
        .array(
          z.strictObject({
            capability: z.enum(capabilities).exclude(['sense.enable', 'pack.connect']),
            pack_id: packName,
            verb_keys: z.array(z.string().min(1)).min(1).optional(),
          }),
        )
        .default([]),
    })
    .refine(({ url, token }) => (url === undefined) === (token === undefined), 'url and token go together')
    .optional(),
  tokens: z
    .array(
      z.discriminatedUnion('role', [
        z.strictObject({ id: name, role: z.literal('admin'), secret: secretRef }),
        z.strictObject({
          id: name,
          role: z.literal('invoker'),
          tenant: z.string().min(1).optional(),
          /** Principal ids, or `*` for all of the tenant. */
          principals: z.array(z.string().min(1)).min(1),
          secret: secretRef,
        }),
      ]),
    )
    .default([]),
  retention: z
    .strictObject({
      records: duration.prefault('90d'),
      drops: duration.prefault('7d'),
      dead_letters: duration.prefault('30d'),
    })
    .prefault({}),
});

export type Config = z.output<typeof configSchema>;
export type SourceConfig = Config['sources'][number];
/** Sources that providers deliver to. */
export type HttpSourceConfig = Extract<SourceConfig, { type: 'webhook' | 'vendor' }>;
export type SecretRef = z.output<typeof secretRef>;
