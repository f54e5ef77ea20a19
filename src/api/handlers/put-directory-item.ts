import type { z } from 'zod';
import { bindingBody, grantBody, parseDirectory, principalBody } from '../../domain/directory-schema.ts';
import { CodedError } from '../../domain/errors.ts';
import { applyDirectory } from '../../store/apply-directory.ts';
import type { DirectorySection } from '../../store/remove-from-directory.ts';
import { answer } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { changedShape, idParams } from '../shapes.ts';

const bodies: Record<DirectorySection, z.ZodType> = {
  principals: principalBody,
  bindings: bindingBody,
  grants: grantBody,
};

/** The endpoint that creates or replaces one item of a section; the same checks as `hcp-sense apply`. */
export const putDirectoryItem = (section: DirectorySection): Endpoint =>
  endpoint({
    summary: `Create or replace one of the ${section}`,
    description:
      'When this has returned, no later commit rests on what it replaced, queued events included (revocation is linearizable).',
    params: idParams,
    body: bodies[section],
    answers: changedShape,
    codes: ['DIRECTORY_INVALID'],
    handle: async ({ pool, packs, tenant, log }, { params, body, caller }) => {
      const written = { ...(body as object), id: params.id };
      const parsed = parseDirectory({ [section]: [written] }, { tenant, packs });
      if (!parsed.ok) {
        const faults = parsed.faults.map(({ path, message }) =>
          ['body', ...path.slice(2).map(String)].join('.').concat(`: ${message}`),
        );
        throw new CodedError('REQUEST_INVALID', faults.join('; '), { faults });
      }
      const [change] = await applyDirectory(pool, parsed.directory);
      log.info({ token: caller.token, section, id: params.id, change: change?.change }, 'directory.changed');
      return answer({ id: params.id, change: change?.change ?? 'unchanged' });
    },
  });
