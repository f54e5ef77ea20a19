import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Announcement } from '../../src/domain/announcement.ts';
import type { BindingFact, Facts } from '../../src/domain/decision.ts';
import type { Packs } from '../../src/domain/pack.ts';
import { decide } from '../../src/policy/decide.ts';
import { samplePack } from '../helpers/samples.ts';

const packs: Packs = new Map([
  [
    'mail',
    samplePack(
      'mail',
      { new_item: 'personal', 'run.completed': 'personal', 'item.updated': 'personal' },
      { 'item.updated': 'silent' },
    ),
  ],
  ['team', samplePack('team', { new_item: 'brain' })],
  ['files', samplePack('files', { 'file.changed': 'local' })],
  ['mute', samplePack('mute', {})],
]);

const announcement = (over: Partial<Announcement> = {}): Announcement => ({
  source: 'mail-hook',
  delivery: 'd1',
  pack: 'mail',
  ref: 'new_item',
  event: 'e1',
  eventHash: 'ab',
  accounts: ['inbox@example.com'],
  binding: null,
  workspace: null,
  occurredAt: null,
  receivedAt: '2026-01-01T00:00:00.000Z',
  state: null,
  data: '{}',
  ...over,
});

const binding = (over: Partial<BindingFact> = {}): BindingFact => ({
  id: 'bnd_1',
  pack: 'mail',
  account: 'inbox@example.com',
  mode: 'user',
  project: null,
  principal: { id: 'user_42', kind: 'human', tenant: 'acme' },
  senseEnabled: true,
  elevated: false,
  ...over,
});

const facts = (over: Partial<Facts> = {}): Facts => ({ bindings: [binding()], activation: 'on', ...over });

describe('decide', () => {
  it('S13: a user-facing ref goes to the inbox, another is silent, the operator may route a ref otherwise', () => {
    const routeOf = (ref: string): unknown => decide(announcement({ ref }), facts(), packs)[0];
    expect(routeOf('new_item')).toMatchObject({ kind: 'record', route: 'inbox' });
    expect(routeOf('run.completed')).toMatchObject({ kind: 'record', route: 'silent' });
    expect(routeOf('item.updated')).toMatchObject({
      kind: 'record',
      route: 'silent',
      why: 'packs[].routes says silent',
    });
  });

  it.each([
    ['S10: an unknown pack', announcement({ pack: 'nope' }), facts(), 'pack_unknown', 'validate-ref'],
    ['S10: an unknown ref', announcement({ ref: 'nope' }), facts(), 'ref_undeclared', 'validate-ref'],
    [
      'S08: a pack without triggers',
      announcement({ pack: 'mute' }),
      facts(),
      'ref_undeclared',
      'validate-ref',
    ],
    ['S35: no Binding at all', announcement(), facts({ bindings: [] }), 'binding_unknown', 'match-binding'],
    [
      'S35: an account nobody has',
      announcement({ accounts: ['other'] }),
      facts(),
      'binding_unknown',
      'match-binding',
    ],
    [
      'S35: a delivery without account',
      announcement({ accounts: [] }),
      facts(),
      'binding_unknown',
      'match-binding',
    ],
    [
      'S35: no Principal',
      announcement(),
      facts({ bindings: [binding({ principal: null })] }),
      'binding_unknown',
      'check-sense-enabled',
    ],
    [
      'S11: no sense.enable',
      announcement(),
      facts({ bindings: [binding({ senseEnabled: false })] }),
      'sense_not_granted',
      'check-sense-enabled',
    ],
    ['S12: activation off', announcement(), facts({ activation: 'off' }), 'sense_off', 'resolve-route'],
    [
      'S35: activation never set',
      announcement(),
      facts({ activation: undefined }),
      'sense_off',
      'resolve-route',
    ],
    [
      'S36: a mothership without elevation',
      announcement(),
      facts({ bindings: [binding({ mode: 'mothership' })] }),
      'elevation_required',
      'check-sense-enabled',
    ],
    [
      'S18: brain without project',
      announcement({ pack: 'team' }),
      facts({ bindings: [binding({ pack: 'team' })] }),
      'project_required',
      'attribute',
    ],
    [
      'S19: local without workspace',
      announcement({ pack: 'files', ref: 'file.changed' }),
      facts({ bindings: [binding({ pack: 'files' })] }),
      'workspace_outside',
      'attribute',
    ],
  ])('%s is dropped, with its reason and rule', (_, given, known, reason, rule) => {
    expect(decide(given, known, packs)).toMatchObject([{ kind: 'drop', reason, rule }]);
  });

  it('S36: an elevation lets an end user reach a mothership; a service needs none', () => {
    const reach = (over: Partial<BindingFact>): unknown =>
      decide(announcement(), facts({ bindings: [binding({ mode: 'mothership', ...over })] }), packs)[0];
    expect(reach({ elevated: true })).toMatchObject({ kind: 'record' });
    expect(reach({ principal: { id: 'svc', kind: 'service', tenant: 'acme' } })).toMatchObject({
      kind: 'record',
    });
    expect(reach({ principal: { id: 'a', kind: 'agent', tenant: 'acme' } })).toMatchObject({
      reason: 'elevation_required',
    });
  });

  it.each([
    ['notes.txt', true],
    ['./a/../b', true],
    ['/srv/ws', true],
    ['/srv/ws/a', true],
    ['../ws/a', true],
    ['../other', false],
    ['/srv/ws2/a', false],
    ['/srv/ws/../../etc/passwd', false],
    ['a/../../..', false],
    ['a\0b', false],
    [7, false],
  ])('S19: path %j inside the workspace: %s', (path, inside) => {
    const given = announcement({
      pack: 'files',
      ref: 'file.changed',
      workspace: '/srv/ws',
      data: JSON.stringify({ path }),
    });
    const [decision] = decide(given, facts({ bindings: [binding({ pack: 'files' })] }), packs);
    expect(decision).toMatchObject(
      inside ? { kind: 'record' } : { kind: 'drop', reason: 'workspace_outside' },
    );
  });

  it('every Binding that matches gets its own decision; a source that fixes one gets only that', () => {
    const known = facts({
      bindings: [
        binding(),
        binding({ id: 'bnd_2', senseEnabled: false }),
        binding({ id: 'bnd_3', pack: 'team' }),
      ],
    });
    expect(decide(announcement(), known, packs)).toMatchObject([
      { kind: 'record', attribution: { binding: 'bnd_1' } },
      { kind: 'drop', reason: 'sense_not_granted', binding: 'bnd_2' },
    ]);
    expect(decide(announcement({ binding: 'bnd_1', accounts: [] }), known, packs)).toHaveLength(1);
    expect(decide(announcement({ binding: 'bnd_9' }), known, packs)).toMatchObject([
      { reason: 'binding_unknown' },
    ]);
  });

  const anyBinding: fc.Arbitrary<BindingFact> = fc.record({
    id: fc.constantFrom('bnd_1', 'bnd_2'),
    pack: fc.constantFrom('mail', 'team', 'files'),
    account: fc.constantFrom('a', 'b', null),
    mode: fc.constantFrom('user', 'mothership', 'local'),
    project: fc.constantFrom('apollo', null),
    principal: fc.option(
      fc.record({
        id: fc.string(),
        kind: fc.constantFrom('human', 'service'),
        tenant: fc.constantFrom('acme', 'other'),
      }),
    ),
    senseEnabled: fc.boolean(),
    elevated: fc.boolean(),
  });
  const anyFacts: fc.Arbitrary<Facts> = fc.record({
    bindings: fc.uniqueArray(anyBinding, { selector: ({ id }) => id }),
    activation: fc.constantFrom('on', 'off', undefined),
  });
  const anyAnnouncement: fc.Arbitrary<Announcement> = fc
    .record({
      pack: fc.constantFrom('mail', 'team', 'files', 'mute', 'gone'),
      ref: fc.constantFrom('new_item', 'file.changed', 'run.completed', 'gone'),
      accounts: fc.subarray(['a', 'b', 'c']),
      binding: fc.constantFrom(null, 'bnd_1', 'bnd_9'),
      workspace: fc.constantFrom(null, '/srv/ws'),
      data: fc.json(),
    })
    .map((over) => announcement(over));

  it('S09: property: each decision is what the first check that says no says, in the fixed order', () => {
    fc.assert(
      fc.property(anyAnnouncement, anyFacts, (given, known) => {
        for (const decision of decide(given, known, packs)) {
          const declared = packs.get(given.pack)?.pack.stimuli.get(given.ref);
          if (declared === undefined) {
            expect(decision).toMatchObject({ kind: 'drop', rule: 'validate-ref' });
            continue;
          }
          const id = decision.kind === 'drop' ? decision.binding : decision.attribution.binding;
          const fact = known.bindings.find((one) => one.id === id);
          if (fact === undefined) expect(decision).toMatchObject({ rule: 'match-binding' });
          else if (fact.principal === null || !fact.senseEnabled)
            expect(decision).toMatchObject({ rule: 'check-sense-enabled' });
          else if (declared.land === 'brain' && fact.project === null) {
            expect(['check-sense-enabled', 'attribute']).toContain(decision.rule);
          }
          // Being switched off is only ever said of something that all other checks let pass.
          if (decision.kind === 'drop' && decision.reason === 'sense_off')
            expect(known.activation).not.toBe('on');
        }
      }),
    );
  });

  it('S35: property: nothing is recorded unless every single fact says yes', () => {
    fc.assert(
      fc.property(anyAnnouncement, anyFacts, (given, known) => {
        for (const decision of decide(given, known, packs)) {
          if (decision.kind !== 'record') continue;
          const fact = known.bindings.find(({ id }) => id === decision.attribution.binding);
          expect(known.activation).toBe('on');
          expect(fact).toMatchObject({ senseEnabled: true, pack: given.pack });
          expect(fact?.principal).not.toBeNull();
          expect(fact?.mode !== 'mothership' || fact.elevated || fact.principal?.kind === 'service').toBe(
            true,
          );
          expect(packs.get(given.pack)?.pack.stimuli.has(given.ref)).toBe(true);
        }
      }),
    );
  });

  it('S14, S20, G5: property: the payload never changes whose an event is, nor where it goes', () => {
    const payload = fc.oneof(
      fc.json(),
      fc.constant(
        '{"tenant":"evil","principal":"evil","binding":"bnd_2","land":"brain","project_id":"evil"}',
      ),
    );
    fc.assert(
      fc.property(anyAnnouncement, anyFacts, payload, (given, known, data) => {
        // `local` events may be refused for a path that leads out; what is not refused is attributed alike.
        fc.pre(given.pack !== 'files');
        expect(decide({ ...given, data }, known, packs)).toEqual(
          decide({ ...given, data: 'null' }, known, packs),
        );
      }),
    );
  });

  it('property: the same inputs give the same decisions, and are left as they were', () => {
    fc.assert(
      fc.property(anyAnnouncement, anyFacts, (given, known) => {
        const before = structuredClone({ given, known });
        expect(decide(given, known, packs)).toEqual(decide(given, known, packs));
        expect({ given, known }).toEqual(before);
      }),
    );
  });

  it('event_unmapped: what ingress could not map is dropped with its detail, whatever the facts say', () => {
    const refusal = {
      reason: 'event_unmapped' as const,
      rule: 'map-event',
      detail: 'no mapping names "watch.started"',
    };
    expect(decide(announcement({ refusal }), facts(), packs)).toEqual([
      { kind: 'drop', reason: 'event_unmapped', rule: 'map-event', why: refusal.detail, binding: null },
    ]);
  });
});
