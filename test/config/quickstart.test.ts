import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { knownVendors } from '../../src/cli/known-vendors.ts';
import { readConfig } from '../../src/config/read-config.ts';

const file = 'examples/quickstart/sense.yaml';

describe('the quick start', () => {
  it('S01 S08: its configuration loads with the three example packs and needs no environment', async () => {
    const loaded = await readConfig({ file, env: {}, vendors: knownVendors });
    expect([...loaded.packs.keys()]).toEqual(['mail', 'issues', 'watcher']);
    expect(loaded.config.sources.map(({ id }) => id)).toEqual(['mail-hook', 'github', 'watcher']);
    expect(loaded.stores.database.kind).toBe('embedded');
    expect(loaded.stores.queue).toEqual(loaded.stores.database);
    expect(loaded.packs.get('watcher')?.pack).toMatchObject({ senseOnly: true, verbs: new Map() });
    expect(loaded.wakeRules).toMatchObject([{ id: 'fetch-mail', coalesceMs: 0, perPrincipalPerHour: 600 }]);
  });

  it('S11 S12: its directory grants and activates exactly the packs that the configuration loads', async () => {
    const { packs } = await readConfig({ file, env: {} });
    const directory: unknown = parse(await readFile('examples/quickstart/directory.yaml', 'utf8'));
    const ids = [...packs.keys()];
    expect(directory).toMatchObject({
      principals: [{ id: 'user_42', tenant: 'acme' }],
      bindings: ids.map((pack) => ({ pack, principal: 'user_42' })),
      grants: ids.map((pack) => ({ pack, principal: 'user_42', capability: 'sense.enable' })),
      activation: Object.fromEntries(ids.map((pack) => [pack, 'on'])),
    });
  });
});
