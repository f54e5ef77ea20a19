import { z } from 'zod';
import { nearestKey } from './nearest-key.ts';

/** A strict object whose fault for an unknown key names the nearest known one. */
export const strictShape = <Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? (issue.keys as string[])
            .map((key) => `unknown key "${key}"${nearestKey(key, Object.keys(shape))}`)
            .join(', ')
        : undefined,
  });

/**
 * Text that Postgres takes as it is. NUL and lone surrogates would be refused or changed on the way in, and what was
 * written could not be found again.
 */
export const plainText = z
  .string()
  .min(1, 'must not be empty')
  .max(512)
  .refine((text) => text.isWellFormed() && !/[\u0000-\u001f\u007f-\u009f]/.test(text), {
    error: 'must not hold control characters or lone surrogates',
  });
