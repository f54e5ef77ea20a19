import { CodedError } from '../../domain/errors.ts';
import { type DirectorySection, removeFromDirectory } from '../../store/remove-from-directory.ts';
import { answer } from '../answer.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { idParams, removedShape } from '../shapes.ts';

/** The endpoint that removes one item of a section. */
export const deleteDirectoryItem = (section: DirectorySection): Endpoint =>
  endpoint({
    summary: `Remove one of the ${section}`,
    description:
      'When this has returned, no later commit rests on it, queued events included. Grants go with their Principal, ' +
      'elevations with their Binding; records stay.',
    params: idParams,
    answers: removedShape,
    codes: ['DIRECTORY_UNKNOWN', 'DIRECTORY_INVALID'],
    handle: async ({ pool, log }, { params, caller }) => {
      if (!(await removeFromDirectory(pool, section, params.id))) throw new CodedError('DIRECTORY_UNKNOWN');
      log.info({ token: caller.token, section, id: params.id }, 'directory.removed');
      return answer({ id: params.id, change: 'removed' });
    },
  });
