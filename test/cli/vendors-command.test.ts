import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { describeVendor } from '../../src/cli/describe-vendor.ts';
import { vendorsVerifyCommand } from '../../src/cli/vendors-verify-command.ts';
import { writeVendor } from '../../src/cli/write-vendor.ts';
import { findProfile, vendorNames, vendorProfiles } from '../../src/ingress/vendors/find-profile.ts';
import type { Vector } from '../ingress/run-vector.ts';
import { runCommand } from './run-command.ts';

const root = join(import.meta.dirname, '..', '..');
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sense-vendors-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** The program itself, where there is no configuration. */
const run = (args: readonly string[], input?: Buffer) =>
  new Promise<{ code: number | null; out: string; err: string }>((resolve, reject) => {
    const { SENSE_CONFIG: _unset, ...env } = process.env;
    const child = spawn(process.execPath, [join(root, 'dist', 'src', 'main.js'), 'vendors', ...args], {
      cwd: dir,
      env: { ...env, GH_SECRET: secret },
    });
    const parts = { out: '', err: '' };
    child.stdout.on('data', (chunk) => {
      parts.out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      parts.err += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...parts }));
    child.stdin.end(input);
  });

let count = 0;
const save = async (bytes: Buffer | string): Promise<string> => {
  count += 1;
  const file = join(dir, `request-${count}.http`);
  await writeFile(file, bytes);
  return file;
};

const secret = "It's a Secret to Everybody";
const body = '{"action":"opened","issue":{"id":9007199254740993},"installation":{"id":77},"note":"ä"}';
const sign = (text: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
const github = (more: { body?: string; signature?: string; end?: string; headers?: string[] } = {}) => {
  const end = more.end ?? '\r\n';
  return Buffer.from(
    [
      'POST /ingress/github HTTP/1.1',
      'Host: hooks.example.com',
      'Content-Type: application/json',
      'X-GitHub-Event: issues',
      'X-GitHub-Delivery: 72d3162e-cc78-11e3-81ab-4c9367dc0958',
      `X-Hub-Signature-256: ${more.signature ?? sign(body)}`,
      ...(more.headers ?? []),
      '',
      more.body ?? body,
    ].join(end),
  );
};

describe('hcp-sense vendors', () => {
  it('lists every vendor, with its family and what it needs, without a configuration', async () => {
    const { code, out } = await run([]);
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual([...vendorNames].sort());
    expect(out).toMatch(/^github +HMAC-SHA256; needs secrets$/m);
  });

  it('shows what to set up at the vendor and here', async () => {
    const { code, out } = await run([
      'show',
      'gitlab',
      '--url',
      'https://hooks.example.com/',
      '--source',
      'gl',
    ]);
    expect(code).toBe(0);
    for (const part of [
      'https://hooks.example.com/ingress/gl',
      'x-gitlab-token',
      'vendor: gitlab',
      'secrets: [ { env: GITLAB_SECRET } ]',
      'project:<id>',
      'new_item',
      'within 10 s',
      'Unconfirmed',
    ])
      expect(out).toContain(part);
  });

  test.each(vendorNames)('%s can be shown, and nothing of its profile is missing', (name) => {
    const profile = findProfile(name);
    const text = writeVendor(describeVendor(profile, 'https://hooks.example.com/ingress/x'));
    for (const word of [
      ...Object.keys(profile.refs),
      ...Object.values(profile.refs),
      ...profile.accounts.map(({ key }) => `${key}:<id>`),
      ...Object.keys(profile.params ?? {}),
      ...(profile.about.notes ?? []).map((note) => note.replaceAll('`', '')),
      ...(profile.about.unconfirmed ?? []).map((note) => note.replaceAll('`', '')),
      profile.about.docs,
    ])
      expect(text).toContain(word);
    expect(text).not.toMatch(/undefined|\[object/);
  });

  it.each([
    [['show', 'gitlap'], 'did you mean gitlab'],
    [['show'], "missing required argument 'name'"],
    [['nonsense'], ''],
    [['verify', 'github'], "required option '--file <file>'"],
    [['verify', 'githob', '--file', 'x'], 'did you mean github'],
    [['verify', 'github', '--file', 'not-there.http', '--secret', 's'], "can't be read"],
    [['show', 'github', '--url', 'nonsense'], 'is not a URL'],
  ])('%j is misuse', async (args, says) => {
    const { code, err } = await run(args);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });
});

describe('hcp-sense vendors verify', () => {
  const verify = async (bytes: Buffer, ...args: string[]) => {
    const { code, out, err } = await run([
      'verify',
      'github',
      '--file',
      await save(bytes),
      '--secret-env',
      'GH_SECRET',
      '--json',
      ...args,
    ]);
    return { code, err, report: out === '' ? null : JSON.parse(out), out };
  };

  it('S21: a good request verifies, and yields what the server would record; exit 0', async () => {
    const { code, report, out } = await verify(github());
    expect(code).toBe(0);
    expect(report).toMatchObject({
      ok: true,
      verified: true,
      kind: 'delivery',
      step: null,
      answer: { status: 202, body: '{"accepted":1}' },
      announcements: [
        {
          ref: 'new_item',
          event_id: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
          accounts: ['installation:77'],
          data_bytes: Buffer.byteLength(body),
          dropped: null,
        },
      ],
    });
    expect(out).not.toContain('9007199254740993');
  });

  it('G9: the data is shown only where asked for, and then verbatim', async () => {
    const { report } = await verify(github(), '--show-data');
    expect(report.announcements[0].data).toBe(body);
  });

  it('reads heads with LF, standard input, several secrets, and other refs', async () => {
    const file = '-';
    const { code, out } = await run(
      [
        'verify',
        'github',
        '--file',
        file,
        '--secret',
        'the old one',
        secret,
        '--refs',
        'issues.*=item.updated',
      ],
      github({ end: '\n' }),
    );
    expect(code).toBe(0);
    expect(out).toContain('github: verified');
    expect(out).toContain('item.updated');
  });

  it('S21: another secret: not verified at the step signature, exit 1, and no secret is shown', async () => {
    const other = 'another secret that signed nothing';
    const file = await save(github());
    const { code, out, err } = await run(['verify', 'github', '--file', file, '--secret', other]);
    expect(code).toBe(1);
    expect(out).toContain('NOT verified: failed at the step signature');
    expect(out).toContain(`secret 1: ${other.length} characters`);
    expect(out).toMatch(/body: \d+ bytes, sha256 [0-9a-f]{64}/);
    expect(out + err).not.toContain(other);
    // Nor the signature that would have been good.
    expect(out).not.toContain(createHmac('sha256', other).update(body).digest('hex'));
  });

  it('a changed body, and what would make it good again', async () => {
    expect((await verify(github({ body: body.replace('opened', 'closed') }))).report).toMatchObject({
      ok: false,
      verified: false,
      step: 'signature',
      announcements: [],
      hints: [],
    });
    const longer = await verify(github({ body: `${body}\n` }));
    expect([longer.code, longer.report.hints[0]]).toEqual([
      1,
      'The same body without the line end at its end (an editor added it) verifies',
    ]);
  });

  it('the body is what Content-Length says, and that is noted', async () => {
    const { code, report } = await verify(
      github({ body: `${body}\n`, headers: [`Content-Length: ${Buffer.byteLength(body)}`] }),
    );
    expect([code, report.notes.length]).toEqual([0, 1]);
  });

  it.each([
    [
      'a missing header',
      github({ headers: [] })
        .toString()
        .replace(/X-Hub.*\r\n/, ''),
      'presence',
    ],
    ['a doubled header', github({ headers: [`X-Hub-Signature-256: ${sign(body)}`] }).toString(), 'presence'],
    ['a signature of another encoding', github({ signature: 'sha256=abc' }).toString(), 'signature'],
    ['another method', github().toString().replace('POST', 'GET'), 'method'],
    ['another content type', github().toString().replace('application/json', 'text/csv'), 'content type'],
    ['no JSON', github({ body: 'x', signature: sign('x') }).toString(), 'body'],
  ])('%s: the step is named', async (_title, text, step) => {
    const { code, report } = await verify(Buffer.from(text));
    expect([code, report.ok, report.step]).toEqual([1, false, step]);
    expect(report.why).not.toBe('');
  });

  it('an event that no mapping names is taken, and said to be dropped', async () => {
    const { code, report } = await verify(github(), '--refs', 'push=new_item');
    expect(code).toBe(0);
    expect(report.announcements[0]).toMatchObject({ ref: null, data_bytes: 4 });
    expect(report.announcements[0].dropped).toContain('issues.opened');
  });

  it.each([
    ['no request line', 'hello\n\n'],
    ['a broken header', 'POST / HTTP/1.1\nno header\n\n'],
    ['nothing', ''],
  ])('%s is misuse', async (_title, text) => {
    const { code, err } = await verify(Buffer.from(text));
    expect(code).toBe(2);
    expect(err).toContain('is no captured request');
  });

  it('no secret, and an unusable one, are misuse; the secret is not shown', async () => {
    const file = await save(github());
    const none = await run(['verify', 'github', '--file', file]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('SECRET_UNUSABLE')]);
    const blank = await run(['verify', 'github', '--file', file, '--secret', 'padded \n']);
    expect([blank.code, blank.err]).toEqual([2, expect.stringContaining('blank space')]);
    expect(blank.err).not.toContain('padded');
    const unset = await run(['verify', 'github', '--file', file, '--secret-env', 'NOT_SET_ANYWHERE']);
    expect(unset.code).toBe(2);
  });
});

describe('in this process', () => {
  const verify = async (vendor: string, bytes: Buffer | string, ...args: string[]) => {
    const { out, exitCode } = await runCommand(
      vendorsVerifyCommand(),
      vendor,
      '--file',
      await save(bytes),
      '--json',
      ...args,
    );
    return { report: JSON.parse(out), code: exitCode, out };
  };

  const load = (vendor: string): Vector[] => {
    const file = join(root, 'test', 'ingress', 'vectors', `${vendor}.json`);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  };
  const requestOf = ({ url, method = 'POST', headers, body: sent }: Vector): string => {
    const { pathname, search } = new URL(url);
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    const isForm = !names.includes('content-type') && /^[A-Za-z_]+=/.test(sent);
    const type = isForm ? ['Content-Type: application/x-www-form-urlencoded'] : [];
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return [`${method} ${pathname}${search} HTTP/1.1`, ...type, ...lines, '', sent].join('\r\n');
  };
  const argsOf = async (vector: Vector): Promise<string[]> => [
    '--url',
    vector.url,
    '--at',
    String(vector.now),
    ...vector.secrets.map((one) => `--secret=${one}`),
    ...Object.entries(vector.params ?? {}).map(([name, value]) => `--param=${name}=${value}`),
    ...(await Promise.all(
      Object.values(vector.certificates ?? {}).map(async (pem) => `--param=certificate=@${await save(pem)}`),
    )),
    ...Object.entries(vector.refs ?? {}).map(([event, ref]) => `--refs=${event}=${ref}`),
  ];

  const vectors = vendorProfiles.flatMap(({ vendor }) =>
    load(vendor).map((vector) => [`${vendor}: ${vector.title}`, vendor, vector] as const),
  );
  test.each(vectors)('S21: verifies as the server does: %s', async (_title, vendor, vector) => {
    const { report, code, out } = await verify(vendor, requestOf(vector), ...(await argsOf(vector)));
    expect(report).toMatchObject({ ok: true, kind: vector.greets === undefined ? 'delivery' : 'handshake' });
    expect(code).toBe(0);
    expect(report.announcements).toHaveLength(vector.expect.length);
    if (vector.greets !== undefined) expect(report.answer).toMatchObject(vector.greets);
    // A shorter one may be a part of anything.
    for (const one of vector.secrets.filter(({ length }) => length > 7)) expect(out).not.toContain(one);
  });

  it('an old request fails at the step time, and --at says when it was good', async () => {
    const [vector] = load('stripe');
    if (vector === undefined) throw new Error('there is no vector');
    const args = (await argsOf(vector)).map((one) =>
      one === String(vector.now) ? String(vector.now + 301) : one,
    );
    const { report, code } = await verify('stripe', requestOf(vector), ...args);
    expect([code, report.step, report.code]).toEqual([1, 'time', 'TIMESTAMP_OUTSIDE_WINDOW']);
    expect(report.hints).toContain(`At its own time it verifies: --at ${vector.now}`);
  });

  it('a vendor that signs the URL asks for it, and another URL fails', async () => {
    const [vector] = load('twilio');
    if (vector === undefined) throw new Error('there is no vector');
    const args = await argsOf(vector);
    await expect(verify('twilio', requestOf(vector), ...args.slice(2))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    const { origin } = new URL(vector.url);
    expect((await verify('twilio', requestOf(vector), '--url', origin, ...args.slice(2))).code).toBe(0);
    expect(
      (await verify('twilio', requestOf(vector), '--url', `${origin}/else`, ...args.slice(2))).report.step,
    ).toBe('signature');
  });

  it('a handshake that needs no proof is said to be one, with the very answer', async () => {
    const { report, code } = await verify(
      'cloudevents',
      'OPTIONS /in HTTP/1.1\r\nWebHook-Request-Origin: sender.example.com\r\n\r\n',
      '--secret=token',
      '--param=origins=sender.example.com',
    );
    expect([code, report.kind, report.verified]).toEqual([0, 'handshake', null]);
    expect(report.answer.headers).toMatchObject({ 'webhook-allowed-origin': 'sender.example.com' });
    const refused = await verify(
      'cloudevents',
      'OPTIONS /in HTTP/1.1\r\nWebHook-Request-Origin: other.example.com\r\n\r\n',
      '--secret=token',
      '--param=origins=sender.example.com',
    );
    expect([refused.code, refused.report.step]).toEqual([1, 'method']);
  });

  it('a handshake that plants a key is answered as a pending source would, without showing the key', async () => {
    const key = 'the-key-that-asana-plants-0123456789';
    const { report, code, out } = await verify('asana', `POST /in HTTP/1.1\nX-Hook-Secret: ${key}\n\n`);
    expect([code, report.kind]).toEqual([0, 'handshake']);
    expect(report.answer.headers['x-hook-secret']).toBe(`(${key.length} characters)`);
    expect(out).not.toContain(key);
  });

  it('a token in the query is not shown', async () => {
    const request = `POST /in?access_token=the-query-token HTTP/1.1\nContent-Type: application/cloudevents+json\n\n{}`;
    const { code, out, report } = await verify('cloudevents', request, '--secret=another-token');
    expect([code, report.step]).toEqual([1, 'token']);
    expect(out).not.toContain('the-query-token');
    expect(out).toContain('15 characters in the query ?access_token');
  });
});
