import { describe, expect, it } from 'vitest';
import { type LintResult, lintPack } from '../../src/policy/lint-pack.ts';

const read = (land = 'personal') => ({ operation: 'read', privacy: { land } });
const write = (land = 'personal') => ({ operation: 'write', privacy: { land } });

type Parts = { surface?: Record<string, unknown>; policy?: Record<string, unknown> };

/** A sound pack, with what a test changes laid over it; `undefined` takes a member away. */
const lint = ({ surface = {}, policy = {} }: Parts = {}): LintResult =>
  lintPack({
    'surface.json': JSON.stringify(
      { id: 'mail', verbs: { 'mail.get': {} }, stimulusTriggers: [{ ref: 'new_item' }], ...surface },
      null,
      1,
    ),
    'policy.json': JSON.stringify(
      {
        surface_id: 'mail',
        version: 1,
        verbs: { 'mail.get': read() },
        stimuli: { new_item: read() },
        ...policy,
      },
      null,
      1,
    ),
  });

const faultsOf = (parts: Parts): string[] =>
  lint(parts).faults.map(({ file, path, message }) => `${file} ${path}: ${message}`);

const messagesOf = (parts: Parts): string[] => lint(parts).faults.map(({ message }) => message);

describe('coverage', () => {
  it('S01: a trigger without a row and a row without a trigger fail, in the words of the protocol', () => {
    const parts = { policy: { stimuli: { old_event: read() } } };
    expect(faultsOf(parts)).toEqual([
      'surface.json $.stimulusTriggers[0].ref: stimulus "new_item" missing from policy.json',
      'policy.json $.stimuli.old_event: policy stimulus "old_event" not in stimulusTriggers',
    ]);
    expect(lint(parts).pack).toBeNull();
  });

  it('S06: verbs are covered both ways, in the words of the protocol', () => {
    const parts = { surface: { verbs: { transfer: {} } }, policy: { verbs: { refund: write() } } };
    expect(faultsOf(parts)).toEqual([
      'surface.json $.verbs.transfer: verb "transfer" missing from policy.json',
      'policy.json $.verbs.refund: policy verb "refund" not in pack manifest',
    ]);
  });

  it('S06: surface_id equals the id of the manifest', () => {
    expect(faultsOf({ surface: { id: 'ledger' }, policy: { surface_id: 'ledgr' } })).toEqual([
      'policy.json $.surface_id: policy surface_id "ledgr" !== "ledger"',
    ]);
  });

  it('S06: version is 1 and may be left out, stimuli defaults to empty', () => {
    const parts = {
      surface: { stimulusTriggers: undefined },
      policy: { version: undefined, stimuli: undefined },
    };
    expect(lint(parts).pack?.stimuli).toEqual(new Map());
    expect(messagesOf({ policy: { version: 2 } })).toEqual(['2 is unknown: expected 1']);
  });

  it('S06: verbs may be an object keyed by command or an array of { key }', () => {
    const asArray = lint({ surface: { verbs: [{ key: 'mail.get' }] } });
    expect(asArray.pack).toEqual(lint().pack);
    expect(asArray.pack?.verbs).toEqual(
      new Map([['mail.get', { operation: 'read', land: 'personal', confirm: false }]]),
    );
  });

  it('reads a row that is named like a member of every object as any other', () => {
    const { pack } = lint({
      surface: { verbs: { constructor: {} } },
      policy: { verbs: { constructor: read() } },
    });
    expect([...(pack?.verbs.keys() ?? [])]).toEqual(['constructor']);
  });
});

describe('refs', () => {
  it.each(['New_Item', 'new item', 'item..updated', '.item', 'item.', '', 'ïtem', '1st', 'a'.repeat(129)])(
    'S02: %j is no ref',
    (ref) => {
      const faults = lint({
        surface: { stimulusTriggers: [{ ref }] },
        policy: { stimuli: { [ref]: read() } },
      }).faults;
      expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining('is not a ref')]);
    },
  );

  it.each([
    'new_item',
    'item.updated',
    'binding.degraded',
    'run.completed',
    'settlement.posted',
    'file.changed',
    'push',
  ])('S02: %j names a fact', (ref) => {
    const result = lint({ surface: { stimulusTriggers: [{ ref }] }, policy: { stimuli: { [ref]: read() } } });
    expect(result).toMatchObject({ faults: [], warnings: [] });
  });

  it.each([
    ['S02', 'please_list', 'a command'],
    ['S02', 'send_mail', 'a command'],
    ['S02', 'item.update.set', 'a command'],
    ['S02', 'run_report', 'a command'],
    ['S24', 'status.poll', 'a poll'],
    ['S24', 'hourly_digest', 'a timer'],
    ['S24', 'control.tick', 'a timer'],
    ['S24', 'ui.refresh', 'a refresh'],
    ['S37', 'server.uptime', 'a health check'],
    ['S37', 'health.changed', 'a health check'],
  ])('%s: %s is warned of as %s, and loads', (_rule, ref, kind) => {
    const result = lint({ surface: { stimulusTriggers: [{ ref }] }, policy: { stimuli: { [ref]: read() } } });
    expect(result.faults).toEqual([]);
    expect(result.pack).not.toBeNull();
    expect(result.warnings).toEqual([
      expect.objectContaining({ file: 'surface.json', path: '$.stimulusTriggers[0].ref', line: 8 }),
    ]);
    expect(result.warnings[0]?.message).toContain(kind);
  });
});

describe('rows', () => {
  it('S03 S05: no fourth land and no third operation', () => {
    const row = { operation: 'exec', privacy: { land: 'team' } };
    expect(faultsOf({ policy: { verbs: { 'mail.get': row } } })).toEqual([
      'policy.json $.verbs["mail.get"].operation: "exec" is unknown: expected "read" or "write"',
      'policy.json $.verbs["mail.get"].privacy.land: "team" is unknown: expected "personal" or "brain" or "local"',
    ]);
  });

  it.each(['personal', 'brain', 'local'])('S03: the land %s is kept with its trigger', (land) => {
    expect(lint({ policy: { stimuli: { new_item: read(land) } } }).pack?.stimuli.get('new_item')).toEqual({
      operation: 'read',
      land,
      confirm: false,
    });
  });

  it('S04: a trigger is always read and never asks, a read command never asks; all of it is said at once', () => {
    const policy = {
      verbs: { 'mail.get': { ...read(), confirm: 'always' } },
      stimuli: { new_item: { ...write(), confirm: true, extra: 1 } },
    };
    expect(messagesOf({ policy }).toSorted()).toEqual([
      'stimulus "new_item" has confirm; only writes ask before they run',
      'stimulus "new_item" must be "read": Sense cannot write',
      'unknown field "extra"',
      'verb "mail.get" is a read and has confirm; only writes ask before they run',
    ]);
  });

  it.each([true, false, 'always'])('S04: a write may have confirm %j', (confirm) => {
    const verbs = { 'mail.get': { ...write(), confirm } };
    expect(lint({ policy: { verbs } }).pack?.verbs.get('mail.get')?.confirm).toBe(confirm);
  });

  it('S05: an unknown field fails, with the nearest known one', () => {
    const verbs = { 'mail.get': { ...write(), confrm: true } };
    expect(faultsOf({ policy: { verbs, stimulli: {} } })).toEqual([
      'policy.json $.verbs["mail.get"].confrm: unknown field "confrm"; did you mean "confirm"?',
      'policy.json $.stimulli: unknown field "stimulli"',
    ]);
    expect(faultsOf({ policy: { stimuli: undefined, stimulli: {} } })).toContain(
      'policy.json $.stimulli: unknown field "stimulli"; did you mean "stimuli"?',
    );
  });

  it.each([
    ['roles', 'execute.grants'],
    ['allowed_users', 'grants of the directory'],
    ['tenant_id', 'principals[].tenant'],
    ['apiKey', 'sources[].secrets'],
    ['rate_limit', 'wakes[].budget'],
    ['schedule', 'runs on a timer'],
    ['cwd', 'sources[].cwd'],
    ['projectId', 'bindings[].project'],
  ])('S38: %s is refused in policy.json, with where it belongs', (field, where) => {
    for (const [policy, path] of [
      [{ [field]: 'x' }, `$.${field}`],
      [{ verbs: { 'mail.get': { ...read(), [field]: 'x' } } }, `$.verbs["mail.get"].${field}`],
      [
        { stimuli: { new_item: { operation: 'read', privacy: { land: 'brain', [field]: 'x' } } } },
        `$.stimuli.new_item.privacy.${field}`,
      ],
    ] as const) {
      const [fault, ...others] = lint({ policy }).faults;
      expect(others).toEqual([]);
      expect(fault).toMatchObject({ file: 'policy.json', path });
      expect(fault?.message).toContain(`unknown field "${field}": `);
      expect(fault?.message).toContain(where);
    }
  });
});

describe('kinds of packs', () => {
  it('S07: a sense_only pack has triggers and no verbs; connect is optional', () => {
    const surface = { kind: 'sense_only', verbs: undefined };
    for (const connect of [undefined, 'mail.connect', { verb: 'mail.connect' }, true]) {
      const { pack, faults } = lint({ surface: { ...surface, connect }, policy: { verbs: {} } });
      expect(faults).toEqual([]);
      expect(pack).toMatchObject({ senseOnly: true, verbs: new Map() });
    }
  });

  it('S07: a sense_only pack without a trigger, or with verbs, fails', () => {
    const bare = { kind: 'sense_only', verbs: undefined, stimulusTriggers: [] };
    expect(messagesOf({ surface: bare, policy: { verbs: {}, stimuli: {} } })).toEqual([
      'a sense_only pack declares at least one trigger in stimulusTriggers',
    ]);
    expect(messagesOf({ surface: { kind: 'sense_only' } })).toEqual([
      'a sense_only pack has no verbs; put commands into a pack of their own',
    ]);
  });

  it('S08: a pack without triggers loads', () => {
    for (const stimulusTriggers of [undefined, []]) {
      const { pack, faults } = lint({ surface: { stimulusTriggers }, policy: { stimuli: {} } });
      expect(faults).toEqual([]);
      expect(pack?.stimuli.size).toBe(0);
    }
  });

  it('S33: what the manifest holds besides is neither judged nor asked for', () => {
    const surface = { adapters: [{ bin: 'mail' }], skill: './SKILL.md', kind: 'channel' };
    expect(lint({ surface }).pack).toEqual(lint().pack);
  });

  it.each([
    ['a string', 'link.account'],
    ['{ verb }', { verb: 'link.account' }],
    ['{ key }', { key: 'link.account', title: 'Link' }],
    ['an array', [{ verb_key: 'link.account' }]],
  ])('S29: connect as %s names a connect command', (_shape, connect) => {
    expect(lint({ surface: { connect } }).pack?.connectVerbs).toEqual(new Set(['link.account']));
  });

  it.each(['connect', 'mail.connect', 'Mail.Connect'])('S29: %s is a connect command by its name', (verb) => {
    const { pack } = lint({ surface: { verbs: { [verb]: {} } }, policy: { verbs: { [verb]: write() } } });
    expect(pack?.connectVerbs).toEqual(new Set([verb]));
  });
});

describe('files', () => {
  const sound = JSON.stringify({ surface_id: 'mail', verbs: {} });

  it.each([
    ['a trailing comma', '{\n "surface_id": "mail",\n}', 3, 1],
    ['a comment', '{\n // why\n}', 2, 2],
    ['an empty file', '', 1, 1],
    ['an open string', '{\r\n "surface_id', 2, 2],
    ['a second value', '{}\n{}', 2, 1],
  ])('says line and column of %s', (_what, text, line, column) => {
    const { faults } = lintPack({ 'surface.json': '{"id":"mail"}', 'policy.json': text });
    expect(faults).toMatchObject([{ file: 'policy.json', line, column }]);
    expect(faults[0]?.message).toMatch(/^is not JSON/);
  });

  it('reports a byte order mark, and the rest of the file all the same', () => {
    const { faults } = lintPack({
      'surface.json': '{"id":"mail"}',
      'policy.json': `\ufeff${sound.replace('mail', 'post')}`,
    });
    expect(faults.map(({ message }) => message)).toEqual([
      'begins with a byte order mark; save it as UTF-8 without one',
      'policy surface_id "post" !== "mail"',
    ]);
  });

  it('reports doubled keys where the second stands, and __proto__', () => {
    const text =
      '{"surface_id":"mail",\n"verbs":{},\n"verbs":{"__proto__":{"operation":"read","privacy":{"land":"brain"}}}}';
    const { faults, pack } = lintPack({ 'surface.json': '{"id":"mail"}', 'policy.json': text });
    expect(pack).toBeNull();
    expect(faults).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          path: '$.verbs',
          line: 3,
          column: 1,
          message: 'key "verbs" appears twice',
        }),
        expect.objectContaining({ line: 3, message: 'key "__proto__" is refused' }),
      ]),
    );
  });

  it('reports commands and refs that are declared twice, once', () => {
    const surface = {
      verbs: [{ key: 'mail.get' }, { key: 'mail.get' }],
      stimulusTriggers: [{ ref: 'new_item' }, { ref: 'new_item' }],
    };
    expect(faultsOf({ surface })).toEqual([
      'surface.json $.verbs[1].key: verb "mail.get" is declared twice',
      'surface.json $.stimulusTriggers[1].ref: stimulus "new_item" is declared twice',
    ]);
  });

  it('says that a file is missing, and still judges the other', () => {
    const { faults } = lintPack({
      'surface.json': null,
      'policy.json': '{"surface_id":"mail","verbs":{},"rolls":1}',
    });
    expect(faults.map(({ message }) => message)).toEqual([
      'surface.json is missing',
      'unknown field "rolls"',
    ]);
  });

  it('survives nesting that would exhaust the stack', () => {
    for (const text of ['['.repeat(200_000), `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`]) {
      const { faults } = lintPack({ 'surface.json': text, 'policy.json': sound });
      expect(faults.map(({ message }) => message)).toEqual(['is nested deeper than 100 levels']);
    }
  });

  it('lists everything at once, by file and line', () => {
    const { faults } = lint({
      surface: { id: 'Mail!', stimulusTriggers: [{ ref: 'New' }, {}], verbs: { a: {} } },
      policy: { roles: [], version: 3 },
    });
    expect(faults.length).toBeGreaterThanOrEqual(9);
    expect(faults.map(({ file }) => file)).toEqual(
      faults
        .map(({ file }) => file)
        .toSorted()
        .toReversed(),
    );
    for (const file of ['surface.json', 'policy.json']) {
      const lines = faults.filter((fault) => fault.file === file).map(({ line }) => line);
      expect(lines).toEqual(lines.toSorted((a, b) => a - b));
    }
  });
});
