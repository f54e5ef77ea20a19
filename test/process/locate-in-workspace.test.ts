import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Announcement } from '../../src/domain/announcement.ts';
import { holdToWorkspace } from '../../src/process/hold-to-workspace.ts';
import { locateInWorkspace } from '../../src/process/locate-in-workspace.ts';

let home: string;
let workspace: string;

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'sense-jail-')));
  workspace = join(home, 'ws');
  await mkdir(join(workspace, 'notes'), { recursive: true });
  await mkdir(join(home, 'ws-other', 'deep'), { recursive: true });
  await writeFile(join(workspace, 'notes', 'today.md'), '');
  await writeFile(join(home, 'secret'), '');
  await symlink(join(home, 'ws-other', 'deep'), join(workspace, 'out'));
  await symlink('notes', join(workspace, 'alias'));
  await symlink(join(home, 'not-there-yet'), join(workspace, 'dangling'));
  await symlink('round', join(workspace, 'round'));
  await symlink(workspace, join(home, 'ws-link'));
});

describe('S19: land local is held to the workspace', () => {
  test.each([
    'notes/today.md',
    'notes',
    '.',
    'notes/../notes/today.md',
    'alias/today.md',
    'notes/gone/for/good.md',
    'never-there/../notes/today.md',
    'notes/today.md/below-a-file',
  ])('%s is inside', async (path) => {
    expect(await locateInWorkspace(workspace, path)).toBe(workspace);
    expect(await locateInWorkspace(workspace, `${workspace}/${path}`)).toBe(workspace);
  });

  test.each([
    '..',
    '../secret',
    '../ws-other/deep',
    'out',
    'out/new.md',
    // By its text it stays inside; the file system goes to the parent of what the link leads to.
    'out/../../secret',
    'out/..',
    'dangling',
    'dangling/x',
    'round',
    'notes/\0',
    'a'.repeat(5000),
    '/etc/passwd',
    '/',
  ])('%j is outside', async (path) => {
    expect(await locateInWorkspace(workspace, path)).toBeNull();
  });

  test('a workspace that is itself a link is inside under both of its names', async () => {
    const link = join(home, 'ws-link');
    expect(await locateInWorkspace(link, 'notes/today.md')).toBe(link);
    expect(await locateInWorkspace(link, join(link, 'notes/today.md'))).toBe(link);
    expect(await locateInWorkspace(link, join(workspace, 'notes/today.md'))).toBe(workspace);
    expect(await locateInWorkspace(link, join(link, 'out'))).toBeNull();
  });

  test('G6: what leads out over a link rides on as a refusal without its payload; what the text alone shows is left to the policy', async () => {
    const announce = (data: unknown): Announcement => ({
      source: 'ws',
      delivery: 'ws-1-1',
      pack: 'watcher',
      ref: 'file.changed',
      event: 'e',
      eventHash: '00',
      accounts: [],
      binding: 'bnd_ws',
      workspace,
      occurredAt: null,
      receivedAt: new Date().toISOString(),
      state: null,
      data: JSON.stringify(data),
    });
    expect(await holdToWorkspace(announce({ path: 'out/x', more: 'private' }))).toMatchObject({
      data: 'null',
      refusal: { reason: 'workspace_outside', rule: 'follow-links' },
    });
    for (const data of [{ path: 'notes/today.md' }, { path: 7 }, {}, null, 'text', [1]]) {
      const given = announce(data);
      expect(await holdToWorkspace(given)).toEqual(structuredClone(given));
    }
    expect(await holdToWorkspace({ ...announce({ path: 'out' }), workspace: null })).not.toHaveProperty(
      'refusal',
    );
  });
});
