import { sliceElements, sliceMembers } from '../ingress/slice-members.ts';

/**
 * Cuts the API's `{"records":[…],…}` into one line per record, each the very characters that were sent (G9). Only line
 * ends between tokens, which a payload may hold, become blanks: a record is one line.
 * @param text an answer of the API
 */
export const splitRecords = (text: string): { id: string; line: string }[] => {
  const records = sliceMembers(text).get('records');
  if (records === undefined) return [];
  return sliceElements(text, records[0]).map(([from, to]) => {
    const [idFrom, idTo] = sliceMembers(text, from).get('record_id') ?? [from, from];
    return {
      id: String(JSON.parse(text.slice(idFrom, idTo))),
      // JSON strings hold no bare line ends, so every one is between tokens.
      line: text.slice(from, to).replace(/[\r\n]+/g, ' '),
    };
  });
};
