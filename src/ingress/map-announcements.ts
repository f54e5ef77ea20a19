import type { Announcement } from '../domain/announcement.ts';
import { hashId } from '../domain/hash-id.ts';
import { safeText } from '../domain/safe-text.ts';
import { readTime } from './read-time.ts';
import { type Span, sliceElements, sliceMembers } from './slice-members.ts';
import type { Arrival, Mapped } from './source.ts';

/** A batch with thousands of faults needs no list of thousands. */
const maxFaults = 50;
const maxText = 512;

export type AnnouncementTarget = {
  source: string;
  /** The one pack, or those of which each announcement names one. */
  packs: readonly [string] | readonly string[];
  namesPack: boolean;
  binding: string | null;
  workspace: string | null;
  /** Whether a fault may repeat the sender's own words: an answer to the sender may, what we log or keep may not. */
  echoes: boolean;
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Null stands for absent, as many writers of JSON have it. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const fieldNames = new Set(['ref', 'id', 'account', 'occurred_at', 'state', 'data']);

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Checked by hand: this runs for every announcement, and faults must name their path in the sender's words. */
const findFaults = (fields: Fields, { packs, namesPack, echoes }: AnnouncementTarget): string[] => {
  const faults: string[] = [];
  for (const name of Object.keys(fields)) {
    if (fieldNames.has(name) || (namesPack && name === 'pack')) continue;
    if (name === 'pack') faults.push('pack: unknown field; this source serves one pack');
    else faults.push(`${echoes ? safeText(name, 64) : '(a name not repeated here)'}: unknown field`);
  }
  const { ref, id, account, state, pack } = fields;
  if (!isText(ref)) faults.push('ref: expected the name of a trigger, not empty');
  if (!isText(id)) faults.push('id: expected a text, not empty');
  // A key that can't stand in the directory could match nothing, and what it was cut to could match another's.
  if (isGiven(account) && !(isText(account) && account === safeText(account, maxText)))
    faults.push(`account: expected a text of at most ${maxText} printable characters, not empty`);
  if (isGiven(state) ? !isText(state) : ref === 'binding.degraded')
    faults.push('state: expected a text, not empty; binding.degraded needs one');
  if (namesPack && !(isText(pack) && packs.includes(pack)))
    faults.push(`pack: expected one of ${packs.join(', ')}`);
  return faults;
};

/**
 * The announcements that a body holds: one, or an array of them. All or nothing: one fault refuses the delivery, with
 * every fault listed, because half a batch could not be told apart from a whole one by its sender.
 */
export const mapAnnouncements = (
  target: AnnouncementTarget,
  { body, delivery, receivedAt }: Pick<Arrival, 'body' | 'receivedAt'> & { delivery: string },
): Mapped => {
  const many = Array.isArray(body.value);
  const items: readonly unknown[] = Array.isArray(body.value) ? body.value : [body.value];
  const faults = items.flatMap((item, index) => {
    const found = isFields(item) ? findFaults(item, target) : ['expected an announcement, a JSON object'];
    return many ? found.map((fault) => `[${index}].${fault}`) : found;
  });
  if (faults.length > 0) {
    const shown = faults.slice(0, maxFaults);
    if (faults.length > maxFaults) shown.push(`and ${faults.length - maxFaults} more`);
    return { ok: false, code: 'ANNOUNCEMENT_INVALID', detail: shown.join('; '), faults: shown };
  }

  const starts = many ? sliceElements(body.text).map(([from]) => from) : [0];
  const announcements = items.filter(isFields).map((fields, index): Announcement => {
    const span: Span | undefined = sliceMembers(body.text, starts[index]).get('data');
    const id = String(fields.id);
    return {
      source: target.source,
      delivery,
      pack: target.namesPack ? String(fields.pack) : (target.packs[0] ?? ''),
      ref: safeText(String(fields.ref), maxText),
      event: safeText(id),
      eventHash: hashId(id),
      accounts: isGiven(fields.account) ? [String(fields.account)] : [],
      binding: target.binding,
      workspace: target.workspace,
      occurredAt: readTime(fields.occurred_at),
      receivedAt,
      state: isGiven(fields.state) ? safeText(String(fields.state), 64) : null,
      data: span === undefined ? 'null' : body.text.slice(span[0], span[1]),
    };
  });
  return { ok: true, delivery, announcements };
};
