import type { Body } from './read-body.ts';
import { readBody } from './read-body.ts';
import { readPath } from './read-path.ts';
import type { VendorProfile } from './vendors/profile.ts';

/** The JSON that a member carries as text; null where it carries none. Bounds are those of a body. */
export const readInner = (inner: NonNullable<VendorProfile['inner']>, item: unknown): Body | null => {
  const text = readPath(item, inner.at);
  if (typeof text !== 'string') return null;
  const raw = Buffer.from(text, inner.as === 'base64' ? 'base64' : 'utf8');
  const body = readBody('json', raw);
  return 'value' in body ? body : null;
};
