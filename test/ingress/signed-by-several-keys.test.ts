import { expect, test } from 'vitest';
import { runVector, type Vector } from './run-vector.ts';
import { sign } from './sign-as-vendor.ts';

const outcome = async (vendor: string, vector: Vector) => {
  const { received } = await runVector(vendor, vector);
  return received.kind === 'refused' ? received.code : received.kind;
};

const box = { 'box-signature-version': '1', 'box-signature-algorithm': 'HmacSHA256' };
const boxBody = '{"id":"1","trigger":"FILE.UPLOADED","webhook":{"id":"7"}}';

test('box: either signature suffices, by either key; neither is a refusal', async () => {
  const primary = sign('box', 'primary', { headers: box, body: boxBody });
  const secondary = String(
    sign('box', 'secondary', { headers: box, body: boxBody }).headers['box-signature-primary'],
  );
  const first = String(primary.headers['box-signature-primary']);
  const both = { ...primary.headers, 'box-signature-primary': first, 'box-signature-secondary': secondary };
  const judge = (headers: Record<string, string>, secrets: string[]) =>
    outcome('box', { ...primary, headers, secrets });
  expect(await judge(both, ['primary', 'secondary'])).toBe('accepted');
  expect(await judge(both, ['primary'])).toBe('accepted');
  expect(await judge(both, ['secondary'])).toBe('accepted');
  expect(await judge(both, ['another'])).toBe('SIGNATURE_MISMATCH');
  const { 'box-signature-primary': _first, ...second } = both;
  expect(await judge(second, ['secondary'])).toBe('accepted');
  expect(await judge(second, ['primary'])).toBe('SIGNATURE_MISMATCH');
  const { 'box-signature-secondary': _second, ...none } = second;
  expect(await judge(none, ['primary', 'secondary'])).toBe('SIGNATURE_MISSING');
});

test('box: another version or algorithm is no proof, and is never taken for one', async () => {
  const signed = sign('box', 'primary', { headers: box, body: boxBody });
  for (const change of [
    { 'box-signature-version': '2' },
    { 'box-signature-version': '' },
    { 'box-signature-algorithm': 'HmacSHA1' },
    { 'box-signature-algorithm': 'none' },
  ])
    expect(await outcome('box', { ...signed, headers: { ...signed.headers, ...change } })).toBe(
      'SIGNATURE_MISSING',
    );
});

test('docusign: the number of a header says nothing; any one of many proves; none does not', async () => {
  const body = '{"event":"envelope-sent","data":{"envelopeId":"e"}}';
  const signed = sign('docusign', 'key', { body });
  const good = String(signed.headers['x-docusign-signature-1']);
  const bad = Buffer.alloc(32, 7).toString('base64');
  const judge = (headers: Record<string, string>) => outcome('docusign', { ...signed, headers });
  expect(await judge({ 'x-docusign-signature-100': good })).toBe('accepted');
  expect(await judge({ 'x-docusign-signature-1': bad, 'x-docusign-signature-2': good })).toBe('accepted');
  expect(await judge({ 'x-docusign-signature-1': good, 'x-docusign-signature-2': bad })).toBe('accepted');
  expect(await judge({ 'x-docusign-signature-1': bad, 'x-docusign-signature-2': bad })).toBe(
    'SIGNATURE_MISMATCH',
  );
  for (const name of ['x-docusign-signature-', 'x-docusign-signature-a', 'x-docusign-signature-1-x'])
    expect(await judge({ [name]: good })).toBe('SIGNATURE_MISSING');
  expect(await judge({ 'x-docusign-signature-1': `${good}, ${good}` })).toBe('SIGNATURE_MISSING');
});
