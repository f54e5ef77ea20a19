import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlantedFiles } from '../../src/create-planted-files.ts';
import { type Ingress, startIngress } from './start-ingress.ts';

const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

let ingress: Ingress;
let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sense-greetings-'));
  const planted = createPlantedFiles(join(dir, 'planted'));
  const context = { planted, url: 'https://hooks.example/ingress/trello' };
  const source = (vendor: string, secrets: string[], pending = false) => ({
    settings: { id: vendor, type: 'vendor', vendor, pack: 'tools', pending } as const,
    secrets,
    context,
  });
  ingress = await startIngress(
    [
      source('zoom', ['token', 'older']),
      source('notion', [], true),
      source('dropbox', ['app']),
      source('trello', ['app']),
      source('google-drive', ['channel']),
      {
        ...source('notion', ['secret_configured']),
        settings: { id: 'notion-live', type: 'vendor', vendor: 'notion', pack: 'tools' },
      },
    ],
    {
      enqueue: async (batch) => {
        expect(batch).toEqual([]);
      },
    },
  );
});
afterAll(async () => {
  await ingress.close();
  await rm(dir, { recursive: true, force: true });
});

describe('Zoom: the URL validation', () => {
  const post = (body: string, secret: string | null) => {
    const time = String(Math.floor(Date.now() / 1000));
    return ingress.post(
      'zoom',
      {
        'content-type': 'application/json',
        ...(secret === null
          ? {}
          : { 'x-zm-request-timestamp': time, 'x-zm-signature': `v0=${hex(secret, `v0:${time}:${body}`)}` }),
      },
      body,
    );
  };
  const validation = (plainToken: unknown) =>
    JSON.stringify({ event: 'endpoint.url_validation', payload: { plainToken }, event_ts: 1 });

  test('is answered with the token and its HMAC by the newest secret, as often as it is asked', async () => {
    for (const secret of ['token', 'token', 'older']) {
      const answer = await post(validation('qgg8vlvZRS6UYooatFL8Aw'), secret);
      expect([answer.status, await answer.text()]).toEqual([
        200,
        `{"plainToken":"qgg8vlvZRS6UYooatFL8Aw","encryptedToken":"${hex('token', 'qgg8vlvZRS6UYooatFL8Aw')}"}`,
      ]);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    }
  });

  test('signs nothing for a stranger', async () => {
    for (const secret of [null, 'guess']) {
      const answer = await post(validation('qgg8vlvZRS6UYooatFL8Aw'), secret);
      expect(answer.status).toBe(401);
      expect(await answer.text()).not.toContain(hex('token', 'qgg8vlvZRS6UYooatFL8Aw'));
    }
  });

  test('S21: never yields what would sign a delivery, not even for one who is proven', async () => {
    const forged = `v0:${Math.floor(Date.now() / 1000)}:{"event":"app_deauthorized"}`;
    for (const text of [
      forged,
      `${forged}\n`,
      `x\n${forged}`,
      { length: 1 },
      [forged],
      7,
      '',
      'a'.repeat(129),
    ]) {
      const refused = await startIngress([
        { settings: { id: 'zoom', type: 'vendor', vendor: 'zoom', pack: 'tools' }, secrets: ['token'] },
      ]);
      const body = validation(text);
      const time = String(Math.floor(Date.now() / 1000));
      const answer = await refused.post(
        'zoom',
        { 'x-zm-request-timestamp': time, 'x-zm-signature': `v0=${hex('token', `v0:${time}:${body}`)}` },
        body,
      );
      expect([answer.status, await answer.text()]).toEqual([200, '']);
      expect(refused.enqueued).toMatchObject([{ refusal: { reason: 'event_unmapped' }, data: 'null' }]);
      await refused.close();
    }
  });
});

describe('Notion: the verification token', () => {
  const plant = (id: string, body: object) =>
    ingress.post(id, { 'content-type': 'application/json' }, JSON.stringify(body));
  const deliver = (id: string, secret: string) => {
    const body = '{"verification_token":"secret_of_a_stranger","id":"1","type":"ping.none"}';
    return ingress.post(id, { 'x-notion-signature': `sha256=${hex(secret, body)}` }, '{}');
  };

  test('is not taken by a source that does not wait for one', async () => {
    expect((await plant('notion-live', { verification_token: 'secret_of_a_stranger' })).status).toBe(401);
    expect((await deliver('notion-live', 'secret_of_a_stranger')).status).toBe(401);
  });

  test('is no event that holds a token, and no text that can’t be one', async () => {
    expect((await plant('notion', { verification_token: 'secret_x', type: 'page.created' })).status).toBe(
      401,
    );
    for (const verification_token of [7, null, '', 'with\nline', ['secret_x'], 'x'.repeat(1025)])
      expect((await plant('notion', { verification_token })).status).toBe(401);
  });

  test('is planted once, live at once, and never replaced', async () => {
    const signed = async (secret: string) => {
      const body = '{"id":"1","type":"x"}';
      const headers = { 'x-notion-signature': `sha256=${hex(secret, body)}` };
      // An event that would be enqueued fails here as unavailable: what counts is that its proof holds.
      return (await ingress.post('notion', headers, body)).status;
    };
    expect(await signed('secret_first')).toBe(401);
    const answer = await plant('notion', { verification_token: 'secret_first' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect((await plant('notion', { verification_token: 'secret_first' })).status).toBe(200);
    expect((await plant('notion', { verification_token: 'secret_second' })).status).toBe(403);
    expect(await signed('secret_first')).not.toBe(401);
    expect(await signed('secret_second')).toBe(401);
  });
});

describe('what asks before it sends', () => {
  test('Dropbox: the challenge as text that no browser sniffs', async () => {
    const answer = await fetch(`${ingress.url}/ingress/dropbox?challenge=%3Cscript%3E+a`);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'text/plain',
      '<script> a',
    ]);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await fetch(`${ingress.url}/ingress/dropbox`)).status).toBe(405);
    expect((await fetch(`${ingress.url}/ingress/dropbox?challenge=a&challenge=b`)).status).toBe(405);
  });

  test('Trello: HEAD, and nothing by GET', async () => {
    for (const query of ['', '?memberID=14&mainModel=true']) {
      const answer = await fetch(`${ingress.url}/ingress/trello${query}`, { method: 'HEAD' });
      expect([answer.status, await answer.text()]).toEqual([200, '']);
    }
    expect((await fetch(`${ingress.url}/ingress/trello`)).status).toBe(405);
  });

  test('Google: the first message of a channel, when it has our token', async () => {
    const sync = (token: string) =>
      ingress.post(
        'google-drive',
        {
          'x-goog-channel-token': token,
          'x-goog-resource-state': 'sync',
          'content-type': 'application/json; utf-8',
        },
        '',
      );
    expect((await sync('channel')).status).toBe(200);
    expect((await sync('other')).status).toBe(401);
  });
});
