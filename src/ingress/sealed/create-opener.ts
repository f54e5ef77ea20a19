import { CodedError } from '../../domain/errors.ts';
import type { VendorProfile } from '../vendors/profile.ts';
import { createGraphOpener } from './create-graph-opener.ts';
import type { OpenSealed } from './open-sealed.ts';
import { readPrivateKeys } from './read-private-keys.ts';

const openers = { 'microsoft-graph': createGraphOpener };

/**
 * Makes what opens the encrypted member of a vendor's items with the keys of one source; null where its vendor sends none.
 *
 * @throws CodedError SECRET_UNUSABLE naming source and param, where one is no key
 */
export const createOpener = (
  source: string,
  sealed: VendorProfile['sealed'],
  params: Readonly<Record<string, string>>,
): OpenSealed | null => {
  if (sealed === undefined) return null;
  const read = readPrivateKeys(params, sealed.keys);
  if ('fault' in read) throw new CodedError('SECRET_UNUSABLE', `Source ${source}: ${read.fault}`);
  return openers[sealed.form](read.keys);
};
