import type { Announcement } from '../domain/announcement.ts';
import { errorCatalogue } from '../domain/errors.ts';
import { describeProof } from '../ingress/vendors/describe-proof.ts';
import { findProfile } from '../ingress/vendors/find-profile.ts';
import { examineProof } from '../ingress/verify/examine-proof.ts';
import type { Judgement, Judging } from './judge-request.ts';
import type { CapturedRequest } from './parse-request.ts';

/** What `hcp-sense vendors verify` says of a captured request. Nothing in it is a secret or could be used as a proof. */
export type Report = {
  /** Whether the server would take it. */
  ok: boolean;
  vendor: string;
  kind: 'delivery' | 'handshake';
  /** Null where it never came to a proof: a handshake that needs none, or refused before. */
  verified: boolean | null;
  /** Where it failed; null where it did not. */
  step: string | null;
  code: string | null;
  why: string | null;
  answer: { status: number; headers: Record<string, string>; body: string | null };
  announcements: Record<string, unknown>[];
  unproven: number;
  /** URLs that the server would fetch to confirm. */
  would_fetch: readonly string[];
  proof: string;
  findings: string[];
  hints: string[];
  notes: readonly string[];
};

/** Steps beside those of a proof, by the code that they refuse with. */
const steps: Readonly<Record<string, string>> = {
  METHOD_NOT_ALLOWED: 'method',
  CONTENT_TYPE_UNSUPPORTED: 'content type',
  CONTENT_ENCODING_UNSUPPORTED: 'content encoding',
  BODY_TOO_LARGE: 'size',
  HANDSHAKE_REFUSED: 'handshake',
  CONFIRMATION_FAILED: 'handshake',
  BODY_MALFORMED: 'body',
  BODY_TOO_DEEP: 'body',
  ANNOUNCEMENT_INVALID: 'announcement',
};

const meansOf = (code: string): string =>
  Object.hasOwn(errorCatalogue, code) ? errorCatalogue[code as keyof typeof errorCatalogue].means : code;

const messageOf = (body: string): string | null => {
  try {
    const message: unknown = JSON.parse(body).error.message;
    return typeof message === 'string' ? message : null;
  } catch {
    return null;
  }
};

const listAnnouncement = (one: Announcement, showData: boolean): Record<string, unknown> => ({
  ref: one.refusal === undefined ? one.ref : null,
  event_id: one.event,
  event_hash: one.eventHash,
  delivery_id: one.delivery,
  accounts: one.accounts,
  occurred_at: one.occurredAt,
  state: one.state,
  data_bytes: Buffer.byteLength(one.data),
  dropped: one.refusal?.detail ?? null,
  ...(showData ? { data: one.data } : {}),
});

/** What most often makes a good capture fail, each tried with the very verifier. */
const findHints = async (judgement: Judgement, signedAt: number | null): Promise<string[]> => {
  const { verdict, delivery, wouldVerify } = judgement;
  if (verdict === null || verdict.ok || delivery === null) return [];
  const now = signedAt === null || Number.isNaN(signedAt) ? delivery.now : signedAt * 1000;
  const text = delivery.raw.toString('latin1');
  const bodies: [string, string][] = [
    ['without the line end at its end (an editor added it)', text.replace(/\r?\n$/, '')],
    ['with a line end at its end (it was cut off)', `${text}\n`],
    ['with CRLF for LF (line ends were changed)', text.replace(/\r?\n/g, '\r\n')],
    ['with LF for CRLF (line ends were changed)', text.replace(/\r\n/g, '\n')],
  ];
  const hints: string[] = [];
  if (verdict.step === 'time' && now !== delivery.now)
    hints.push(
      (await wouldVerify({ now }))
        ? `At its own time it verifies: --at ${signedAt}`
        : `Not even at its own time (--at ${signedAt}) does it verify`,
    );
  for (const [how, body] of bodies)
    if (body !== text && (await wouldVerify({ raw: Buffer.from(body, 'latin1'), now })))
      hints.push(`The same body ${how} verifies`);
  return hints;
};

/** Headers of the answer that say something of it; a key that a vendor plants is echoed there, and is not shown. */
const listHeaders = (headers: Readonly<Record<string, string>>, plants: boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !/^(date|connection|content-length|x-content-type-options|keep-alive)$/.test(name))
      .map(([name, value]) => [
        name,
        plants && !/^(content-type|x-delivery-id)$/.test(name) ? `(${value.length} characters)` : value,
      ]),
  );

/** Puts a judgement into words. */
export const reportJudgement = async (
  request: CapturedRequest,
  judging: Judging,
  judgement: Judgement,
  showData: boolean,
): Promise<Report> => {
  const profile = findProfile(judging.vendor);
  const { verdict, code, answer, isHandshake, delivery } = judgement;
  const weak = profile.weakProofs?.[judging.params.scheme ?? ''];
  const proof = weak ?? profile.proof;
  const examined =
    delivery === null
      ? null
      : examineProof(proof, delivery, { secrets: judging.secrets, url: judging.url ?? '' });
  const ok = code === null && answer.status < 400;
  const refused = verdict !== null && !verdict.ok;
  const plants = profile.handshakes.some((one) => one.plants !== undefined);
  return {
    ok,
    vendor: judging.vendor,
    kind: isHandshake ? 'handshake' : 'delivery',
    verified: verdict === null ? null : verdict.ok,
    step: ok ? null : refused ? verdict.step : (steps[code ?? ''] ?? 'request'),
    code,
    why: ok
      ? null
      : refused
        ? verdict.why
        : (messageOf(answer.body) ?? meansOf(code ?? `HTTP ${answer.status}`)),
    answer: {
      status: answer.status,
      headers: listHeaders(answer.headers, isHandshake && plants),
      // A refusal's body is the error above, with an id of its own.
      body: ok ? answer.body : null,
    },
    announcements: judgement.announcements.map((one) => listAnnouncement(one, showData)),
    unproven: judgement.unproven,
    would_fetch: judgement.visits,
    proof: describeProof(proof),
    findings: examined?.findings ?? [],
    hints: await findHints(judgement, examined?.signedAt ?? null),
    notes: request.notes,
  };
};
