import { describe, expect, it } from 'vitest';
import { describeConfig } from '../../src/config/describe-config.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { codedFault, writeConfig } from './write-config.ts';

const watcher = {
  'packs/watcher/surface.json': JSON.stringify({
    id: 'watcher',
    kind: 'sense_only',
    stimulusTriggers: [{ ref: 'file.changed' }],
  }),
  'packs/watcher/policy.json': JSON.stringify({
    surface_id: 'watcher',
    verbs: {},
    stimuli: { 'file.changed': { operation: 'read', privacy: { land: 'local' } } },
  }),
};

const yaml = (sources: string, more = ''): string =>
  `version: 1\ntenant: acme\npacks: [{ dir: packs/mail }, { dir: packs/watcher }]\n${more}sources:${sources}`;

const read = async (sources: string, more = '') =>
  readConfig({ file: await writeConfig(yaml(sources, more), watcher), env: {}, role: 'all' });

const faultsOf = async (sources: string, more = '') => {
  const fault = await codedFault(read(sources, more));
  expect(fault.code).toBe('CONFIG_INVALID');
  return fault.faults;
};

describe('sources of type queue and process', () => {
  it('S21: the contract forms load, need no secret, and have defaults', async () => {
    const loaded = await read(`
  - { id: bus, type: queue, queue: sense-announce, packs: [mail] }
  - { id: ws, type: process, pack: watcher, command: [node, packs/watcher/emit.mjs], cwd: ws, env: [PATH], binding: bnd_ws }
`);
    expect(loaded.config.sources).toMatchObject([
      { type: 'queue', queue: 'sense-announce', prefix: 'bull', packs: ['mail'] },
      { type: 'process', command: ['node', 'packs/watcher/emit.mjs'], env: ['PATH'], max_line: 1024 * 1024 },
    ]);
    expect(loaded.secrets.sources.size).toBe(0);
    expect(describeConfig(loaded).sources).toMatchObject([
      { id: 'bus', packs: ['mail'], queue: 'sense-announce', live_secrets: 0 },
      { id: 'ws', packs: ['watcher'], program: 'node', live_secrets: 0 },
    ]);
  });

  it('S07 S21: only a sense_only pack runs as a process', async () => {
    expect(
      await faultsOf(`
  - { id: a, type: process, pack: mail, command: [node] }
  - { id: b, type: process, pack: wacher, command: [node] }
`),
    ).toEqual([
      'sources[0].pack (line 5): pack "mail" is not of kind sense_only; no other kind runs as a process',
      'sources[1].pack (line 6): no pack "wacher" is loaded; did you mean "watcher"?',
    ]);
  });

  it('refuses a command without program, NUL in it, and what is no name of a variable', async () => {
    const faults = await faultsOf(`
  - { id: a, type: process, pack: watcher, command: [] }
  - { id: b, type: process, pack: watcher, command: ["", x] }
  - { id: c, type: process, pack: watcher, command: [node, "a\\0b"], env: [A=1, ""] }
  - { id: d, type: process, pack: watcher, command: node index.js }
`);
    expect(faults).toEqual([
      'sources[0].command (line 5): the program is missing',
      'sources[1].command (line 6): the program is empty',
      'sources[2].command[1] (line 7): must not hold NUL',
      'sources[2].env[0] (line 7): expected the name of an environment variable',
      'sources[2].env[1] (line 7): expected the name of an environment variable',
      expect.stringMatching(/^sources\[3\]\.command \(line 8\): expected array/),
    ]);
  });

  it('S10: a queue source names packs that are loaded, one way or the other', async () => {
    expect(
      await faultsOf(`
  - { id: a, type: queue, queue: one }
  - { id: b, type: queue, queue: two, packs: [mial] }
  - { id: c, type: queue, queue: "a:b", pack: mail }
`),
    ).toEqual([
      'sources[0] (line 5): needs either pack (the one it announces for) or packs (each announcement names its own)',
      'sources[1].packs[0] (line 6): no pack "mial" is loaded; did you mean "mail"?',
      'sources[2].queue (line 7): expected letters, digits, ".", "_" and "-", at most 128',
    ]);
  });

  it('refuses a queue that two sources empty, and one that we fill ourselves', async () => {
    expect(
      await faultsOf(
        `
  - { id: a, type: queue, queue: bus, pack: mail }
  - { id: b, type: queue, queue: bus, prefix: other, pack: mail }
  - { id: c, type: queue, queue: inbox, pack: mail }
`,
        'sinks: { inbox_queue: { name: inbox } }\n',
      ),
    ).toEqual([
      'sources[1].queue (line 7): source "a" takes the jobs of "bus" already',
      'sources[2].queue (line 8): "inbox" is sinks.inbox_queue: what surfaces must not come in again',
    ]);
  });
});
