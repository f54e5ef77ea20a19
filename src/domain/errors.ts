/**
 * The one error catalogue. Each code has an HTTP status, whether trying the same thing again can help, what happened
 * and how to mend it. `docs/errors.md` is generated from it (a test holds the two together). A code is never reused.
 */
type CatalogueEntry = {
  /** HTTP status of an answer that carries this code. */
  status: number;
  /** True where the same call may succeed later without anybody changing anything. */
  retry: boolean;
  /** What happened; used where the thrower has nothing more exact to say. */
  means: string;
  /** What the reader can do about it. */
  mend: string;
};

export const errorCatalogue = {
  // Starting
  CONFIG_NOT_FOUND: {
    status: 500,
    retry: false,
    means: 'The configuration file does not exist',
    mend: 'Name one with --config or SENSE_CONFIG; examples/quickstart/sense.yaml is a working start.',
  },
  CONFIG_YAML: {
    status: 500,
    retry: false,
    means: 'The configuration is not YAML',
    mend: 'Mend the line and column named.',
  },
  CONFIG_INVALID: {
    status: 500,
    retry: false,
    means: 'The configuration has faults',
    mend: 'Mend every path listed; docs/configuration.md describes each key.',
  },
  SECRET_UNUSABLE: {
    status: 500,
    retry: false,
    means: 'A secret is unset, empty or blank',
    mend: 'Set the environment variable or fill the file that the configuration names; nothing is accepted without it.',
  },
  PACK_NOT_FOUND: {
    status: 500,
    retry: false,
    means: 'A pack directory does not hold surface.json and policy.json',
    mend: 'Correct packs[].dir; it is taken relative to the configuration file.',
  },
  PACK_FAULTY: {
    status: 500,
    retry: false,
    means: 'A pack does not pass lint',
    mend: 'Run hcp-sense lint on its directory and mend what it lists.',
  },
  PORT_IN_USE: {
    status: 500,
    retry: true,
    means: 'The port is taken by another process',
    mend: 'Stop that process or set http.port.',
  },
  DATABASE_UNREACHABLE: {
    status: 503,
    retry: true,
    means: 'Postgres does not answer',
    mend: 'Check that it runs and that database.url (DATABASE_URL) names it.',
  },
  QUEUE_UNREACHABLE: {
    status: 503,
    retry: true,
    means: 'The queue store does not answer',
    mend: 'Check that it runs and that queue.url (REDIS_URL) names it.',
  },
  EMBEDDED_POSTGRES_FAILED: {
    status: 500,
    retry: false,
    means: 'The embedded Postgres could not be started',
    mend: 'Read the reason given, or set DATABASE_URL to a Postgres of your own.',
  },

  // Ingress
  SOURCE_UNKNOWN: {
    status: 404,
    retry: false,
    means: 'No source of this name is configured',
    mend: 'Check the last part of the URL against sources[].id.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    retry: false,
    means: 'This source does not take this method',
    mend: 'Deliver with POST.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    retry: false,
    means: 'The body is larger than this source takes',
    mend: 'Send less, or raise http.body_limit or sources[].body_limit.',
  },
  NETWORK_REFUSED: {
    status: 403,
    retry: false,
    means: 'This source is not called from this network',
    mend: "Check sources[].networks, and http.trusted_proxies where a proxy stands between; the vendor's ranges change.",
  },
  SOURCE_PAUSED: {
    status: 503,
    retry: true,
    means: 'This source is paused',
    mend: 'Deliver again later; take sources[].paused out to go on.',
  },
  RATE_LIMITED: {
    status: 429,
    retry: true,
    means: 'This source delivers faster than sources[].rate_limit lets it',
    mend: 'Deliver again after the seconds of Retry-After, or raise the limit.',
  },
  CONTENT_ENCODING_UNSUPPORTED: {
    status: 415,
    retry: false,
    means: 'This content encoding is not taken',
    mend: 'Send the body as it is, or with gzip or deflate, once.',
  },
  CONTENT_TYPE_UNSUPPORTED: {
    status: 415,
    retry: false,
    means: 'This source does not take this content type',
    mend: 'Send application/json.',
  },
  BODY_MALFORMED: {
    status: 400,
    retry: false,
    means: 'The body is not what this source takes',
    mend: 'Send well-formed UTF-8 JSON.',
  },
  BODY_TOO_DEEP: {
    status: 400,
    retry: false,
    means: 'The JSON is nested too deeply',
    mend: 'Keep nesting within 100 levels.',
  },
  ANNOUNCEMENT_INVALID: {
    status: 400,
    retry: false,
    means: 'The announcement has faults',
    mend: 'Mend the fields named; docs/ingress.md describes an announcement.',
  },
  SIGNATURE_MISSING: {
    status: 401,
    retry: false,
    means: 'The delivery carries no usable signature',
    mend: 'Sign it as the source asks; see docs/ingress.md.',
  },
  SIGNATURE_MISMATCH: {
    status: 401,
    retry: false,
    means: 'No configured secret yields this signature',
    mend: 'Check that the sender signs the bytes that it sends, with a secret that this source lists.',
  },
  TIMESTAMP_OUTSIDE_WINDOW: {
    status: 401,
    retry: false,
    means: 'The signing time is too far from now',
    mend: 'Check both clocks; sign each attempt anew.',
  },
  KEYS_UNAVAILABLE: {
    status: 503,
    retry: true,
    means: "The vendor's keys can't be fetched, so nothing can be said of the signature",
    mend: 'Deliver again later; check that this machine reaches the key server over https.',
  },
  HANDSHAKE_REFUSED: {
    status: 403,
    retry: false,
    means: 'The handshake is not answered',
    mend: 'Check the verify token, or whether the source is pending; docs/vendors.md says what each vendor needs.',
  },
  CONFIRMATION_FAILED: {
    status: 503,
    retry: true,
    means: 'The subscription could not be confirmed',
    mend: "Deliver again later; check that this machine reaches the vendor's host over https.",
  },
  QUEUE_FULL: {
    status: 503,
    retry: true,
    means: 'queue.max_waiting is reached',
    mend: 'Deliver again later; start more workers or raise queue.max_waiting.',
  },
  QUEUE_UNAVAILABLE: {
    status: 503,
    retry: true,
    means: 'The queue store did not take the delivery in time',
    mend: 'Deliver again later; /readyz says what is away.',
  },
  SHUTTING_DOWN: {
    status: 503,
    retry: true,
    means: 'This process is stopping',
    mend: 'Deliver again; another process or the next start takes it.',
  },

  // The API of Invokers and operators
  ROUTE_UNKNOWN: {
    status: 404,
    retry: false,
    means: 'There is no such route',
    mend: '/openapi.json lists the routes.',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    retry: false,
    means: 'This route has no answer of a type that is accepted',
    mend: 'Accept application/json, or a CloudEvents type that /openapi.json names for the route.',
  },
  TOKEN_MISSING: {
    status: 401,
    retry: false,
    means: 'The request carries no bearer token',
    mend: 'Send Authorization: Bearer with a secret of tokens[].',
  },
  TOKEN_INVALID: {
    status: 401,
    retry: false,
    means: 'The bearer token is not one of tokens[]',
    mend: 'Check the secret; a changed file is read at the next start or SIGHUP.',
  },
  ROLE_FORBIDDEN: {
    status: 403,
    retry: false,
    means: 'The token may not do this',
    mend: 'Use a token whose role is named for this route.',
  },
  REQUEST_INVALID: {
    status: 400,
    retry: false,
    means: 'The request has faults',
    mend: 'Mend the fields named; /docs shows the shapes.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    retry: true,
    means: 'The request was not whole in time',
    mend: 'Send it again, faster.',
  },
  HEAD_TOO_LARGE: {
    status: 431,
    retry: false,
    means: 'The head of the request is too large',
    mend: 'Keep request line and headers within 16 KiB.',
  },
  RECORD_UNKNOWN: {
    status: 404,
    retry: false,
    means: 'No record of this id is visible to this token',
    mend: 'Check the id, and the tenant and principals of the token.',
  },
  LEASE_UNKNOWN: {
    status: 409,
    retry: false,
    means: 'This lease holds none of these records any more',
    mend: 'It expired, or was acknowledged or released: lease again.',
  },
  DIRECTORY_INVALID: {
    status: 409,
    retry: false,
    means: 'The directory cannot take this change',
    mend: 'Create what it refers to first, or remove what refers to it.',
  },
  DIRECTORY_UNKNOWN: {
    status: 404,
    retry: false,
    means: 'The directory holds nothing of this id',
    mend: 'Check the id.',
  },
  PACK_UNKNOWN: {
    status: 404,
    retry: false,
    means: 'No such pack is loaded',
    mend: 'Check the name against packs[] of the configuration.',
  },
  DEAD_LETTER_UNKNOWN: {
    status: 404,
    retry: false,
    means: 'There is no such dead letter',
    mend: 'GET /v1/dead-letters lists them; one that was replayed is gone.',
  },
  INTERNAL: {
    status: 500,
    retry: true,
    means: 'Something of ours broke',
    mend: 'Quote the request id; the log holds the cause.',
  },

  // Execute, called by the wake
  EXEC_CONNECT_REFUSED: {
    status: 403,
    retry: false,
    means: 'A wake never runs a connect command',
    mend: 'Take the step out; a person runs connect.',
  },
  EXEC_VERB_UNKNOWN: {
    status: 403,
    retry: false,
    means: 'The pack has no such command',
    mend: 'Name a command of its surface.json in wakes[].steps.',
  },
  EXEC_GRANT_MISSING: {
    status: 403,
    retry: false,
    means: 'execute.grants does not hold the capability for this command',
    mend: 'Add the grant to execute.grants; sense.enable authorises no command.',
  },
  EXEC_PROJECT_REQUIRED: {
    status: 403,
    retry: false,
    means: 'A brain command needs a project',
    mend: 'Give the Binding a project.',
  },
  EXEC_ARGUMENT_MISSING: {
    status: 422,
    retry: false,
    means: 'A selected argument is not in the record',
    mend: 'Correct the path in wakes[].steps[].args.',
  },
  EXEC_UNREACHABLE: {
    status: 503,
    retry: true,
    means: 'The runtime does not answer',
    mend: 'Check that it runs and that execute.url names it.',
  },
  EXEC_REFUSED: {
    status: 403,
    retry: false,
    means: 'The runtime refused the command',
    mend: 'Read its error; its own grants decide.',
  },
  EXEC_CONFIRM_REFUSED: {
    status: 403,
    retry: false,
    means: 'A wake never confirms, and these arguments would',
    mend: 'Take confirm and apply out of wakes[].steps[].args, or select less of the record; only a person confirms.',
  },
  EXEC_FAILED: {
    status: 502,
    retry: false,
    means: 'The runtime says that the command failed',
    mend: 'Read its error.',
  },
  EXEC_ANSWER_INVALID: {
    status: 502,
    retry: false,
    means: "The runtime's answer is not the protocol's envelope",
    mend: 'Check that execute.url is an HCP exec endpoint.',
  },

  WAKE_RULE_UNKNOWN: {
    status: 404,
    retry: true,
    means: 'No wake of this id is configured in this process',
    mend: 'Put the rule back into wakes[], or let the wake fail: it is tried a bounded number of times.',
  },
  WAKE_ABANDONED: {
    status: 500,
    retry: false,
    means: 'The wake was begun again and again and never came to an end',
    mend: 'Look in the log for what ended the process each time.',
  },

  // The command line
  USAGE: {
    status: 400,
    retry: false,
    means: 'The command line is not understood',
    mend: 'hcp-sense --help lists the commands.',
  },
  SERVER_UNREACHABLE: {
    status: 503,
    retry: true,
    means: 'hcp-sense does not answer',
    mend: 'Start it with hcp-sense start, or name it with --url.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

/** A fault with a code of the catalogue. Expected outcomes are values; this is thrown. */
export class CodedError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly retry: boolean;
  /** Each fault on its own where there are several (all faults of a configuration, of a request). */
  readonly faults: readonly string[];

  /** @param detail what exactly happened, without a full stop; the catalogue's remedy follows it. */
  constructor(
    code: ErrorCode,
    detail?: string,
    options: { cause?: unknown; faults?: readonly string[] } = {},
  ) {
    const entry: CatalogueEntry = errorCatalogue[code];
    super(
      `${detail ?? entry.means}. ${entry.mend}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'CodedError';
    this.code = code;
    this.status = entry.status;
    this.retry = entry.retry;
    this.faults = options.faults ?? [];
  }
}

/** The error body of every HTTP answer (contract). */
export const errorBody = (
  code: ErrorCode,
  message: string,
  requestId: string,
  faults: readonly string[] = [],
) => ({
  error: { code, message, request_id: requestId, ...(faults.length > 0 ? { faults } : {}) },
});
