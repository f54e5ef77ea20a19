import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Announcement, Batch } from '../../src/domain/announcement.ts';
import { hashId } from '../../src/domain/hash-id.ts';
import type { Land, LoadedPack, Packs } from '../../src/domain/pack.ts';

/** A loaded pack with these refs; nothing else in it matters to who records. */
export const samplePack = (
  id: string,
  refs: Record<string, Land>,
  routes: Record<string, 'inbox' | 'silent'> = {},
): LoadedPack => ({
  pack: {
    id,
    senseOnly: false,
    verbs: new Map(),
    stimuli: new Map(
      Object.entries(refs).map(([ref, land]) => [ref, { operation: 'read' as const, land, confirm: false }]),
    ),
    connectVerbs: new Set(),
  },
  routes: new Map(Object.entries(routes)),
});

export const samplePacks: Packs = new Map([
  [
    'mail',
    samplePack('mail', {
      new_item: 'personal',
      'item.updated': 'personal',
      'binding.degraded': 'personal',
      'run.completed': 'personal',
    }),
  ],
  ['issues', samplePack('issues', { new_item: 'brain', 'comment.created': 'brain' })],
]);

/** An announcement for user_42's mail Binding; its event is a new one unless `event` is given. */
export const sampleAnnouncement = (over: Partial<Announcement> = {}): Announcement => {
  const event = over.event ?? randomUUID();
  return {
    source: 'mail-hook',
    delivery: `dlv_${randomUUID()}`,
    pack: 'mail',
    ref: 'new_item',
    eventHash: hashId(event),
    accounts: ['inbox@example.com'],
    binding: null,
    workspace: null,
    occurredAt: null,
    receivedAt: new Date().toISOString(),
    state: null,
    data: '{"id":"m_1"}',
    ...over,
    event,
  };
};

export const sampleBatch = (...announcements: Announcement[]): Batch => ({ id: randomUUID(), announcements });

/** user_42 of acme, member of apollo, with a mail and an issues Binding; Sense granted and on for both packs. */
export const seedDirectory = async (db: Pool): Promise<void> => {
  await db.query(`
    insert into sense.principals (principal_id, tenant_id, kind, projects) values ('user_42', 'acme', 'human', '{apollo}');
    insert into sense.bindings (binding_id, pack_id, principal_id, account, mode, project_id) values
      ('bnd_mail', 'mail', 'user_42', 'inbox@example.com', 'user', null),
      ('bnd_issues', 'issues', 'user_42', 'installation:77', 'user', 'apollo');
    insert into sense.grants (grant_id, principal_id, capability, pack_id) values
      ('g_mail', 'user_42', 'sense.enable', 'mail'), ('g_issues', 'user_42', 'sense.enable', 'issues');
    insert into sense.activation (pack_id, sense) values ('mail', 'on'), ('issues', 'on');
  `);
};
