import type { Report } from './report-judgement.ts';

const line = (name: string, text: string): string => `  ${name.padEnd(9)}${text}`;

const writeAnnouncement = (one: Report['announcements'][number]): string[] => [
  line('event', `${one.dropped === null ? one.ref : `DROPPED: ${one.dropped}`}`),
  line(
    '',
    `event id ${one.event_id} (sha256 ${String(one.event_hash).slice(0, 12)}…), delivery ${one.delivery_id}`,
  ),
  line(
    '',
    `accounts ${Array.isArray(one.accounts) && one.accounts.length > 0 ? one.accounts.join(', ') : 'none: only a fixed binding takes it'}`,
  ),
  line(
    '',
    `occurred ${one.occurred_at ?? 'not said'}${one.state === null ? '' : `, state ${one.state}`}, ${one.data_bytes} bytes of data`,
  ),
  ...(one.data === undefined ? [] : [line('', String(one.data))]),
];

const verdictOf = ({ ok, kind, verified, step }: Report): string => {
  if (!ok)
    return verified === true
      ? `verified, but refused at the step ${step}`
      : `NOT verified: failed at the step ${step}`;
  if (kind === 'delivery') return 'verified';
  return verified === true ? 'verified; this is a handshake' : 'this is a handshake, which needs no proof';
};

/** A report for a terminal. */
export const writeReport = (report: Report): string => {
  const { answer, code } = report;
  return [
    `${report.vendor}: ${verdictOf(report)}`,
    ...(report.why === null ? [] : [line('why', report.why)]),
    line(
      'answer',
      `the server would answer ${answer.status}${code === null ? '' : ` ${code}`}${answer.body === null || answer.body === '' ? '' : ` ${answer.body}`}`,
    ),
    ...(report.kind === 'handshake' || report.ok
      ? Object.entries(answer.headers).map(([name, value]) => line('', `${name}: ${value}`))
      : []),
    ...report.would_fetch.map((url) => line('fetch', `the server would fetch ${url}`)),
    ...report.announcements.flatMap(writeAnnouncement),
    ...(report.unproven === 0
      ? []
      : [line('unproven', `${report.unproven} items of the batch did not prove themselves`)]),
    ...(report.ok
      ? []
      : [
          line('proof', report.proof.replaceAll('`', '')),
          ...report.findings.map((text) => line('found', text)),
        ]),
    ...report.hints.map((text) => line('hint', text)),
    ...report.notes.map((text) => line('note', text)),
  ].join('\n');
};
