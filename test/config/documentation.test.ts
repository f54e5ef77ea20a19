import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { fieldsOf, itemOf } from '../../src/config/fields-of.ts';
import { configSchema } from '../../src/config/schema.ts';
import { lintPack } from '../../src/policy/lint-pack.ts';

/** Every path that the schema knows: `a.b`, `list[].c`, `map.*`. */
const keysOf = (schema: z.core.$ZodType, path: string): string[] => {
  const item = itemOf(schema);
  if (item?.of === 'map') return [`${path}.*`];
  if (item?.of === 'list') return keysOf(item.schema, `${path}[]`);
  return Object.entries(fieldsOf(schema) ?? {}).flatMap(([name, inner]) => {
    const here = path === '' ? name : `${path}.${name}`;
    return [here, ...keysOf(inner, here)];
  });
};

describe('docs/configuration.md', () => {
  it('has one row for each key of the schema, and no other', async () => {
    const text = await readFile('docs/configuration.md', 'utf8');
    const [, table = ''] = text.split('## Keys');
    const rows = [...(table.split('## Environment')[0] ?? '').matchAll(/^\| `([^`]+)` \|/gm)].map(
      ([, key]) => key,
    );
    expect(rows.toSorted()).toEqual([...new Set(keysOf(configSchema, ''))].toSorted());
  });
});

describe('docs/packs.md', () => {
  it('S01: declares a pack that passes lint', async () => {
    const text = await readFile('docs/packs.md', 'utf8');
    const [surface = null, policy = null] = [...text.matchAll(/```json\n(.*?)```/gs)].map(
      ([, json]) => json ?? null,
    );
    expect(lintPack({ 'surface.json': surface, 'policy.json': policy })).toMatchObject({
      pack: { id: 'mail', connectVerbs: new Set(['mail.connect']) },
      faults: [],
      warnings: [],
    });
  });
});
