import { describe, expect, test } from 'vitest';
import { createSource } from '../../src/ingress/create-source.ts';
import type { PlantedSecrets } from '../../src/ingress/planted-secrets.ts';
import { findProfile, vendorNames } from '../../src/ingress/vendors/find-profile.ts';
import { startIngress } from './start-ingress.ts';

const plantsKey = (vendor: string) =>
  findProfile(vendor).handshakes.some(({ plants }) => plants !== undefined);
const planting = vendorNames.filter(plantsKey);
const nothingPlanted: PlantedSecrets = { read: async () => null, plant: async () => false };
const settings = (vendor: string) =>
  ({ id: vendor, type: 'vendor', vendor, pack: 'tools', binding: 'bnd_1', pending: true }) as const;

describe('a pending source', () => {
  test('is one whose vendor plants its key, and has no other', () => {
    expect(planting).toEqual(expect.arrayContaining(['asana', 'notion']));
    expect(() => createSource(settings('github'), ['a-secret'])).toThrow(/github plants no key/);
    for (const vendor of planting)
      expect(() => createSource(settings(vendor), ['a-secret'], { planted: nothingPlanted })).toThrow(
        /leave secrets out/,
      );
  });

  test.each(planting)('of %s takes no delivery, whatever it is signed with', async (vendor) => {
    const ingress = await startIngress([
      { settings: settings(vendor), secrets: [], context: { planted: nothingPlanted } },
    ]);
    for (const value of ['', '0'.repeat(64), 'sha256=', `sha256=${'0'.repeat(64)}`])
      for (const header of ['x-hook-signature', 'x-notion-signature'])
        for (const body of [
          '{"events":[]}',
          '{"type":"page.created","id":"1"}',
          '{"events":[{"action":"changed"}]}',
        ]) {
          const answer = await ingress.post(vendor, { [header]: value }, body);
          expect(answer.status).toBe(401);
        }
    expect(ingress.enqueued).toEqual([]);
    await ingress.close();
  });
});
