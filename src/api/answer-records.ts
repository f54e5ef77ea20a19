import { type SenseRecord, writeRecords } from '../domain/record.ts';
import { writeCloudEvent } from '../domain/write-cloud-event.ts';
import { type Answer, answerText } from './answer.ts';
import { manyEvents } from './cloud-event.ts';

const headerOf = (name: string): string => `hcp-${name.replaceAll('_', '-')}`;

/**
 * Answers with records in the form that is wanted. A batch of CloudEvents has no place for what goes with them, so that
 * is in headers (`lease_id` in `hcp-lease-id`); what is null is left out.
 */
export const answerRecords = (
  media: string,
  records: readonly SenseRecord[],
  rest: Readonly<Record<string, string | null>>,
): Answer => {
  if (media !== manyEvents) return answerText(writeRecords(records, { ...rest }));
  const headers = Object.entries(rest).flatMap(([name, value]) =>
    value === null ? [] : [[headerOf(name), value] as const],
  );
  return answerText(`[${records.map(writeCloudEvent).join(',')}]`, manyEvents, Object.fromEntries(headers));
};
