import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordHead } from '../../src/domain/record.ts';
import { parseArgPath } from '../../src/wake/parse-arg-path.ts';
import { selectArgs } from '../../src/wake/select-args.ts';

const head: RecordHead = {
  record_id: '01920000-0000-7000-8000-000000000001',
  tenant_id: 'acme',
  principal: { id: 'user_42', kind: 'human' },
  binding_id: 'bnd_mail',
  land: 'personal',
  project_id: null,
  pack_id: 'mail',
  ref: 'new_item',
  route: 'inbox',
  source_id: 'mail-hook',
  event_id: 'e1',
  delivery_id: 'd1',
  occurred_at: null,
  received_at: '2026-01-01T00:00:00.000Z',
  recorded_at: '2026-01-01T00:00:00.000Z',
  state: null,
  trust: 'external',
};
const select = (args: Record<string, unknown>, data: string) => selectArgs(args, { head, data });

describe('selectArgs', () => {
  it('selects from data and from the head, at any depth of what is configured', () => {
    const data = '{"id":"m1","items":[{"n":1},{"n":2}],"nothing":null,"flag":false}';
    const args = {
      id: '$.data.id',
      second: '$.data.items[1].n',
      whose: '$.principal.id',
      nothing: '$.data.nothing',
      project: '$.project_id',
      nested: { list: ['$.data.flag', 'plain', 7] },
      dollars: '$5',
      whole: '$.data.items',
    };
    expect(select(args, data)).toEqual({
      ok: true,
      args: {
        id: 'm1',
        second: 2,
        whose: 'user_42',
        nothing: null,
        project: null,
        nested: { list: [false, 'plain', 7] },
        dollars: '$5',
        whole: [{ n: 1 }, { n: 2 }],
      },
    });
  });

  it.each([
    '$.data.missing',
    '$.data.id.length',
    '$.data.items.length',
    '$.data.items[2]',
    '$.data.items.0',
    '$.data.id[0]',
    '$.data.__proto__',
    '$.data.constructor',
    '$.data.toString.name',
    '$.data.items.map',
    '$.constructor',
    '$.__proto__.polluted',
    '$.nothing',
    '$.',
    '$..id',
    '$.data[*]',
    '$.data[-1]',
    '$.data.items[?(@.n)]',
  ])('%s selects nothing, and that is said', (selector) => {
    expect(select({ x: selector }, '{"id":"m1","items":[1,2]}')).toEqual({ ok: false, missing: selector });
  });

  it('sees a member that is called __proto__ only where the payload has one of its own', () => {
    expect(select({ x: '$.data.__proto__.a' }, '{"__proto__":{"a":1}}')).toEqual({
      ok: true,
      args: { x: 1 },
    });
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  it('sends a number that a double would change as the digits that were sent', () => {
    const selected = select(
      { a: '$.data.a', b: '$.data.b', c: '$.data.c' },
      '{"a":9007199254740993,"b":12,"c":1.10}',
    );
    expect(selected).toEqual({ ok: true, args: { a: '9007199254740993', b: 12, c: 1.1 } });
  });

  it('never looks again at what it selected: a payload can not select', () => {
    expect(select({ x: '$.data.x' }, '{"x":"$.tenant_id"}')).toEqual({
      ok: true,
      args: { x: '$.tenant_id' },
    });
    expect(select({ x: '$.data' }, '{"y":["$.tenant_id"]}')).toEqual({
      ok: true,
      args: { x: { y: ['$.tenant_id'] } },
    });
  });

  it('selects what a walk by hand finds, for any payload and any path into it', () => {
    const name = fc.stringMatching(/^[a-z_]{1,6}$/);
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(name, tie('tree'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.infiniteStream(fc.nat(2)), (data, choices) => {
        let value: unknown = data;
        let path = '$.data';
        for (const choice of choices) {
          if (typeof value !== 'object' || value === null) break;
          const keys = Object.keys(value);
          const key = keys[choice % Math.max(1, keys.length)];
          if (key === undefined) break;
          path += Array.isArray(value) ? `[${key}]` : `.${key}`;
          value = (value as Record<string, unknown>)[key];
        }
        expect(select({ x: path }, JSON.stringify(data))).toEqual({ ok: true, args: { x: value } });
      }),
    );
  });

  it('never throws and never yields anything inherited, whatever the path', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (tail, data) => {
        const selected = select({ x: `$.${tail}` }, JSON.stringify(data));
        if (selected.ok) expect(typeof selected.args.x).not.toBe('function');
      }),
    );
  });
});

describe('parseArgPath', () => {
  it('reads names and indexes', () => {
    expect(parseArgPath('$.data.items[10].a-b c')).toEqual(['data', 'items', 10, 'a-b c']);
  });
  it.each(['$', '$.', 'data', '$.a.', '$.a[x]', '$.a[1', '$.a]', ' $.a'])('%j is no path', (text) => {
    expect(parseArgPath(text)).toBeNull();
  });
});
