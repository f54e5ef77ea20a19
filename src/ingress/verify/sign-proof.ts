import { readBody } from '../read-body.ts';
import { holds } from '../read-place.ts';
import { setPath } from '../set-path.ts';
import type { Proof, TokenScheme } from './scheme.ts';
import { type Signed, type Signing, signHmac } from './sign-hmac.ts';

const onlyTheVendor = (): never => {
  throw new TypeError("only the vendor's own private key can sign this");
};

const bear = ({ at, prefix = '' }: TokenScheme, secret: string, message: Signing): Signed => {
  const token = `${prefix}${secret}`;
  const { raw } = message;
  const headers = { ...message.headers };
  if ('header' in at) return { headers: { ...headers, [at.header]: token }, raw };
  if ('query' in at) throw new TypeError(`the token stands in the URL: post to it with ?${at.query}=`);
  if ('item' in at) throw new TypeError('the token stands in every item: write it into the body');
  const body: unknown = JSON.parse(raw.toString('utf8'));
  setPath(body, at.json, token);
  return { headers, raw: Buffer.from(JSON.stringify(body)) };
};

/**
 * Proves a delivery as its sender would, where a shared secret is all that takes. The verifier's counterpart, for
 * `hcp-sense send` and tests.
 *
 * @throws TypeError where the secret can't be a key, or only the vendor could sign
 */
export const signProof = (proof: Proof, secret: string, message: Signing): Signed => {
  switch (proof.kind) {
    case 'hmac':
      return signHmac(proof, secret, message);
    case 'token':
      return proof.param === undefined
        ? bear(proof, secret, message)
        : { headers: { ...message.headers }, raw: message.raw };
    case 'anyOf':
      return proof.of[0] === undefined ? onlyTheVendor() : signProof(proof.of[0], secret, message);
    case 'allOf': {
      let signed: Signed = { headers: { ...message.headers }, raw: message.raw };
      for (const one of proof.of) signed = signProof(one, secret, { ...message, ...signed });
      return signed;
    }
    case 'choose': {
      const body = readBody('json', message.raw);
      const value = 'value' in body ? body.value : undefined;
      const query = message.url.includes('?') ? message.url.slice(message.url.indexOf('?')) : '';
      const way = proof.of.find(({ when }) =>
        holds(when, { headers: message.headers, query, body: value, item: value }),
      );
      return way === undefined ? onlyTheVendor() : signProof(way.proof, secret, message);
    }
    default:
      return onlyTheVendor();
  }
};
