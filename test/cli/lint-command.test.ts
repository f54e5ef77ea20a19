import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { lintCommand } from '../../src/cli/lint-command.ts';

const run = async (...args: string[]): Promise<{ out: string; code: number }> => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  process.exitCode = 0;
  await lintCommand().parseAsync(args, { from: 'user' });
  return { out: print.mock.calls.map(([line]) => String(line)).join('\n'), code: Number(process.exitCode) };
};

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = 0;
});

const faultyPack = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'sense-lint-'));
  await writeFile(
    join(dir, 'surface.json'),
    '{ "id": "mail",\n  "stimulusTriggers": [{ "ref": "please_list" }] }',
  );
  await writeFile(join(dir, 'policy.json'), '{ "surface_id": "mail", "verbs": {},\n  "schedule": "daily" }');
  return dir;
};

describe('hcp-sense lint', () => {
  it('S01: passes the example packs with exit code 0', async () => {
    const { out, code } = await run('examples/packs/mail', 'examples/packs/issues', 'examples/packs/watcher');
    expect(out).toContain('3 packs, 0 faults, 0 warnings');
    expect(code).toBe(0);
  });

  it('S01 S02 S38: prints every fault and warning of every pack with file, line and path, and exits 1', async () => {
    const dir = await faultyPack();
    const { out, code } = await run(dir, 'examples/packs/nowhere');
    expect(out).toContain('fault    surface.json:2:26  $.stimulusTriggers[0].ref\n');
    expect(out).toContain('stimulus "please_list" missing from policy.json');
    expect(out).toContain('fault    policy.json:2:3  $.schedule\n');
    expect(out).toContain('warning  surface.json:2:26');
    expect(out).toContain('policy.json is missing');
    expect(out).toContain('2 packs, 4 faults, 1 warning');
    expect(code).toBe(1);
  });

  it('prints the same for programs with --json', async () => {
    const { out, code } = await run('--json', await faultyPack());
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      packs: [
        {
          id: null,
          faults: [
            { file: 'surface.json', line: 2 },
            { file: 'policy.json', path: '$.schedule' },
          ],
          warnings: [{ line: 2 }],
        },
      ],
    });
    expect(code).toBe(1);
  });
});
