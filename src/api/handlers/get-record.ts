import { CodedError } from '../../domain/errors.ts';
import { writeRecord } from '../../domain/record.ts';
import { writeCloudEvent } from '../../domain/write-cloud-event.ts';
import { findRecord } from '../../store/find-record.ts';
import { answerText } from '../answer.ts';
import { cloudEventShape, oneEvent } from '../cloud-event.ts';
import { endpoint } from '../endpoint.ts';
import { recordShape, uuidParams } from '../shapes.ts';

export const getRecord = endpoint({
  summary: 'Read one record',
  params: uuidParams,
  answers: recordShape,
  forms: [{ media: oneEvent, answers: cloudEventShape }],
  codes: ['RECORD_UNKNOWN'],
  handle: async ({ pool }, { params, caller, media }) => {
    const record = await findRecord(pool, caller.scope, params.id);
    if (record === null) throw new CodedError('RECORD_UNKNOWN');
    return media === oneEvent
      ? answerText(writeCloudEvent(record), oneEvent)
      : answerText(writeRecord(record));
  },
});
