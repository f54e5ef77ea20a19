import type { VendorDescription } from './describe-vendor.ts';

const list = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];

/** The entry of `sources[]` with what this vendor needs, as YAML. */
const writeSource = ({ vendor, secret, params, events }: VendorDescription): string[] => {
  const needed = params.filter(({ needed: when }) => when !== 'optional');
  const variable = vendor.toUpperCase().replaceAll('-', '_');
  return [
    'sources:',
    `  - id: ${vendor}`,
    '    type: vendor',
    `    vendor: ${vendor}`,
    '    pack: YOUR_PACK',
    ...(secret === null ? [] : [`    secrets: [ { env: ${variable}_SECRET } ]`]),
    ...(needed.length === 0 ? [] : ['    params:']),
    ...needed.map(
      ({ name, needed: when }) => `      ${name}: { env: ${variable}_${name.toUpperCase()} }  # ${when}`,
    ),
    ...(events.length === 0 ? ['    refs: { EVENT: REF }'] : []),
  ];
};

const writeEvents = ({ events }: VendorDescription): string[] => {
  if (events.length === 0) return ['none by default: refs of the source says which event becomes which ref'];
  const width = Math.max(...events.map(({ event }) => event.length));
  return events.map(
    ({ event, ref, state }) => `${event.padEnd(width)}  ${ref}${state === null ? '' : ` (${state})`}`,
  );
};

const writeAnswer = ({ answer }: VendorDescription): string[] => {
  const { status, body, within_seconds: seconds, instead_of_refusals: instead } = answer;
  return [
    `${status} ${body === '' ? 'without body' : body}, ${seconds === null ? 'no time limit is stated' : `within ${seconds} s`}`,
    ...Object.entries(instead).map(([code, other]) => `${code} is answered ${other}, without body`),
  ];
};

/** What to set up at the vendor and here, for a terminal. */
export const writeVendor = (about: VendorDescription): string =>
  [
    `${about.vendor}: ${about.name}`,
    about.docs,
    ...list('At the vendor', [
      `URL      ${about.url}${about.signs_url ? '  (signed: http.public_url must be what the vendor calls)' : ''}`,
      `set up   ${about.set_up}`,
      ...(about.headers.length === 0 ? [] : [`headers  ${about.headers.join(', ')}`]),
    ]),
    ...list('Here', writeSource(about)),
    ...list('Secrets and params', [
      `secrets  ${about.secret ?? 'none'}`,
      ...about.params.map(({ name, needed, means }) => `${name}  ${needed}: ${means}`),
    ]),
    ...list('Proof', [
      about.proof,
      ...about.weak_proofs.map(({ name, proof }) => `weak, only with params.scheme: ${name}: ${proof}`),
    ]),
    ...list('Events', writeEvents(about)),
    ...list(
      'Account keys',
      about.account_keys.length === 0
        ? ['none: the source needs a binding']
        : about.account_keys.map(({ key, events }) =>
            events === null ? key : `${key}  (${events.join(', ')} only)`,
          ),
    ),
    ...list(
      'Batches',
      about.batches.length === 0 ? [] : [`every entry of ${about.batches.join(', ')} is an event`],
    ),
    ...list('Handshakes', about.handshakes.length === 0 ? ['none'] : about.handshakes),
    ...list('Answer', writeAnswer(about)),
    ...list('Switches off', about.switches_off === null ? [] : [about.switches_off]),
    ...list('Good to know', about.notes),
    ...list('Unconfirmed', about.unconfirmed),
  ].join('\n');
