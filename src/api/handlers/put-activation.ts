import { z } from 'zod';
import { CodedError } from '../../domain/errors.ts';
import { strictShape } from '../../domain/strict-shape.ts';
import { applyDirectory } from '../../store/apply-directory.ts';
import { answer } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import { changedShape, idParams } from '../shapes.ts';

export const putActivation = endpoint({
  summary: 'Turn Sense on or off for a pack',
  description: 'Changes nothing for Execute. When this has returned, no later commit rests on the old state.',
  params: idParams,
  body: strictShape({ sense: z.enum(['on', 'off']) }),
  answers: changedShape,
  codes: ['PACK_UNKNOWN'],
  handle: async ({ pool, packs, log }, { params, body, caller }) => {
    if (!packs.has(params.id)) throw new CodedError('PACK_UNKNOWN', `No pack "${params.id}" is loaded`);
    const [change] = await applyDirectory(pool, {
      principals: [],
      bindings: [],
      grants: [],
      activation: { [params.id]: body.sense },
    });
    log.info({ token: caller.token, pack: params.id, sense: body.sense }, 'activation.changed');
    return answer({ id: params.id, change: change?.change ?? 'unchanged' });
  },
});
