import { createEventMatcher } from '../create-event-matcher.ts';
import { describeProof } from './describe-proof.ts';
import type { VendorProfile } from './profile.ts';

const needs = { always: 'required', binding: 'required with a fixed `binding`', never: 'optional' };

const list = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, '', ...lines.map((line) => `- ${line}`), ''];

const describeAnswer = ({ answer, refusals = {} }: VendorProfile): string => {
  const ok =
    answer === null
      ? '202 `{"accepted":n}`'
      : `${answer.status}${answer.body === '' ? ', empty' : ` \`${answer.body}\``}`;
  const instead = Object.entries(refusals).map(([code, status]) => `\`${code}\` is answered ${status}`);
  return [ok, ...instead].join('; ');
};

/** Which ref an event becomes, one row for each ref and state, in the profile's order. */
const describeRefs = ({ refs, states }: VendorProfile): string[] => {
  const findState = createEventMatcher(states);
  const rows = new Map<string, string[]>();
  for (const [event, ref] of Object.entries(refs)) {
    const state = ref.startsWith('binding.') ? (findState([event]) ?? "the event's name") : '';
    const row = `\`${ref}\` | ${state === '' ? '' : `\`${state}\``}`;
    rows.set(row, [...(rows.get(row) ?? []), `\`${event}\``]);
  }
  if (rows.size === 0) return ['Events map to no refs by default: `refs` of the source says which do.', ''];
  return [
    '| event | ref | state |',
    '|---|---|---|',
    ...[...rows].map(([row, events]) => `| ${events.join(', ')} | ${row} |`),
    '',
  ];
};

/** A vendor as a section of docs/vendors.md, from nothing but its profile. */
export const describeProfile = (profile: VendorProfile): string => {
  const { vendor, about, proof, weakProofs = {}, params = {}, accounts, handshakes, split } = profile;
  const keys = accounts.map(
    ({ key, on }) => `\`${key}:<id>\`${on === undefined ? '' : ` (${on.join(', ')} only)`}`,
  );
  return [
    `## ${vendor}`,
    '',
    `${about.name}: <${about.docs}>`,
    '',
    '| | |',
    '|---|---|',
    `| at the vendor | ${about.setUp} |`,
    `| \`secrets\` | ${about.secret ?? 'none'} |`,
    ...Object.entries(params).map(
      ([name, { needed, means }]) => `| \`params.${name}\` | ${needs[needed]}: ${means} |`,
    ),
    `| proof | ${describeProof(proof).replaceAll('|', '\\|')} |`,
    ...Object.entries(weakProofs).map(
      ([name, weak]) => `| \`params.scheme: ${name}\` | ${describeProof(weak)} (weak) |`,
    ),
    `| answer | ${describeAnswer(profile)}; wanted within ${about.answerSeconds === null ? 'a time that is not stated' : `${about.answerSeconds} s`} |`,
    ...(about.switchesOff === undefined ? [] : [`| switches off | ${about.switchesOff.how} |`]),
    `| handshakes | ${handshakes.length === 0 ? 'none' : handshakes.map(({ method = 'POST', answer, plants, confirms }) => `${method} → ${answer.status}${plants === undefined ? '' : ', plants the key while `pending`'}${confirms === undefined ? '' : `, fetches the URL that confirms (needs \`params.${confirms.param}\`)`}`).join('; ')} |`,
    `| batches | ${split === undefined ? 'none' : split.map((path) => `\`${path.join('.')}\``).join(', ')} |`,
    ...(profile.headerData === undefined
      ? []
      : [`| data | the headers ${profile.headerData.map((name) => `\`${name}\``).join(', ')} |`]),
    `| account keys | ${keys.length === 0 ? 'none: the source needs a `binding`' : keys.join(', ')} |`,
    '',
    ...describeRefs(profile),
    ...list('Good to know', about.notes ?? []),
    ...list('Unconfirmed', about.unconfirmed ?? []),
  ]
    .join('\n')
    .trimEnd();
};
