import { plainText, strictShape } from '../../domain/strict-shape.ts';
import { explainDelivery as readTrace } from '../../store/explain-delivery.ts';
import { answer } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import { explainTrace } from '../explain-trace.ts';
import { deliveryId, explanationShape } from '../shapes.ts';

export const explainDelivery = endpoint({
  summary: 'Explain a delivery: every decision about it, with the rule that decided',
  query: strictShape({ source: plainText, delivery_id: deliveryId }),
  answers: explanationShape,
  codes: [],
  handle: async ({ pool, packs }, { query }) => {
    const trace = await readTrace(pool, query.source, query.delivery_id);
    return answer({
      source: query.source,
      delivery_id: query.delivery_id,
      ...explainTrace(trace, packs),
    });
  },
});
