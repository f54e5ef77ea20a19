import { CodedError } from '../../domain/errors.ts';
import { writeRecord } from '../../domain/record.ts';
import { findRecord } from '../../store/find-record.ts';
import { answerText } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import { recordShape, uuidParams } from '../shapes.ts';

export const getRecord = endpoint({
  summary: 'Read one record',
  params: uuidParams,
  answers: recordShape,
  codes: ['RECORD_UNKNOWN'],
  handle: async ({ pool }, { params, caller }) => {
    const record = await findRecord(pool, caller.scope, params.id);
    if (record === null) throw new CodedError('RECORD_UNKNOWN');
    return answerText(writeRecord(record));
  },
});
