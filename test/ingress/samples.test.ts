import { describe, expect, test } from 'vitest';
import { createSource } from '../../src/ingress/create-source.ts';
import { makeSample } from '../../src/ingress/make-sample.ts';
import { receiveDelivery } from '../../src/ingress/receive-delivery.ts';
import { signDelivery } from '../../src/ingress/sign-delivery.ts';
import { findProfile } from '../../src/ingress/vendors/find-profile.ts';

const now = 1_750_000_000_000;
const url = 'https://hooks.example/ingress/source';

/** What `hcp-sense send` makes of a sample, through the very code of the server. */
const send = async (vendor: string, event: string, id: string, account?: string) => {
  const settings = { id: 'source', type: 'vendor', vendor, pack: 'pack' } as const;
  const made = makeSample(settings, { event, id, account, now });
  const { headers, raw } = signDelivery(settings, 'secret', { ...made, id, now, url });
  const source = createSource(settings, ['secret'], {
    url,
    params: vendor === 'whatsapp' ? { verify_token: 'x' } : {},
  });
  const taken: Parameters<Parameters<typeof receiveDelivery>[2]>[0][number][] = [];
  const received = await receiveDelivery(
    source,
    { method: 'POST', query: '', headers, raw, format: 'json', now },
    async (batch) => {
      taken.push(...batch);
    },
  );
  return { received, taken };
};

const vendors = [
  'box',
  'calendly',
  'docusign',
  'dropbox',
  'google-calendar',
  'google-drive',
  'line',
  'notion',
  'square',
  'telegram',
  'trello',
  'typeform',
  'whatsapp',
  'zoom',
];

describe.each(vendors)('samples of %s', (vendor) => {
  const profile = findProfile(vendor);
  const events = Object.keys(profile.samples);

  test.each(events)('%s is taken and mapped, with a key of the source’s', async (event) => {
    const { received, taken } = await send(vendor, event, 'id-1');
    expect(received).toMatchObject({ kind: 'accepted', accepted: 1, unmapped: 0 });
    expect(taken[0]?.refusal).toBeUndefined();
    expect(taken[0]?.accounts.length).toBeGreaterThan(0);
    if (taken[0]?.ref.startsWith('binding.')) expect(taken[0].state).not.toBeNull();
    expect(Object.values(profile.refs)).toContain(taken[0]?.ref);
  });

  test('is of the account that is asked for', async () => {
    const [event = ''] = events;
    const { taken: own } = await send(vendor, event, 'id-1');
    const key = own[0]?.accounts[0]?.split(':')[0];
    const { taken } = await send(vendor, event, 'id-1', `${key}:4242`);
    expect(taken[0]?.accounts).toContain(`${key}:4242`);
  });
});

test('two samples of a channel are two events', async () => {
  const [one, two] = [await send('google-drive', 'change', 'a'), await send('google-drive', 'change', 'b')];
  expect(one.taken[0]?.eventHash).not.toBe(two.taken[0]?.eventHash);
});
