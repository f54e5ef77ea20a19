import type { z } from 'zod';

type Schema = z.core.$ZodType;

/** The schema below defaults and optionals. */
const unwrap = (schema: Schema): z.core.$ZodTypes['_zod']['def'] => {
  let { def } = (schema as z.core.$ZodTypes)._zod;
  while (
    def.type === 'default' ||
    def.type === 'prefault' ||
    def.type === 'optional' ||
    def.type === 'nullable'
  ) {
    ({ def } = (def.innerType as z.core.$ZodTypes)._zod);
  }
  return def;
};

const tagOf = (option: Schema, discriminator: string): unknown => {
  const def = unwrap(option);
  const tag = def.type === 'object' ? def.shape[discriminator] : undefined;
  const tagDef = tag === undefined ? undefined : unwrap(tag);
  return tagDef?.type === 'literal' ? tagDef.values[0] : undefined;
};

/**
 * The fields of an object schema; of a discriminated union those of the variant that `value` has, or of all variants where
 * it has none of them. Null for all else.
 */
export const fieldsOf = (schema: Schema, value?: unknown): Readonly<Record<string, Schema>> | null => {
  const def = unwrap(schema);
  if (def.type === 'object') return def.shape;
  if (def.type !== 'union') return null;
  const { discriminator } = def as { discriminator?: string };
  const given =
    discriminator === undefined ? undefined : (value as Record<string, unknown> | null)?.[discriminator];
  const chosen = def.options.filter(
    (option) => discriminator !== undefined && tagOf(option, discriminator) === given,
  );
  const shapes = (chosen.length > 0 ? chosen : def.options).map((option) => fieldsOf(option) ?? {});
  return Object.assign({}, ...shapes);
};

/** The schema of an array's items or of a record's values, and which of the two it is. Null for all else. */
export const itemOf = (schema: Schema): { schema: Schema; of: 'list' | 'map' } | null => {
  const def = unwrap(schema);
  if (def.type === 'array') return { schema: def.element, of: 'list' };
  return def.type === 'record' ? { schema: def.valueType, of: 'map' } : null;
};

/** The keys that may stand at a path of `value`; none where the path leads out of what the schema knows. */
export const knownKeysAt = (schema: Schema, value: unknown, path: readonly PropertyKey[]): string[] => {
  let here: Schema | null = schema;
  let inner = value;
  for (const part of path) {
    here = fieldsOf(here, inner)?.[String(part)] ?? itemOf(here)?.schema ?? null;
    inner = (inner as Record<PropertyKey, unknown> | null | undefined)?.[part];
    if (here === null) return [];
  }
  return Object.keys(fieldsOf(here, inner) ?? {});
};
