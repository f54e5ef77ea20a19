import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCallerIdentifier } from '../../src/api/create-caller-identifier.ts';

const identify = createCallerIdentifier([
  { id: 'ops', role: 'admin', secret: 'admin secret' },
  { id: 'all', role: 'invoker', tenant: 'acme', principals: ['*'], secret: 'all-secret' },
  { id: 'some', role: 'invoker', tenant: 'acme', principals: ['user_42', 'user_43'], secret: 'some-secret' },
]);
const codeOf = (header: string | undefined): unknown => {
  try {
    return identify(header).token;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
};

describe('whose token it is', () => {
  test('a token is bound to its tenant and Principals; only an operator is bound to none', () => {
    expect(identify('Bearer admin secret').scope).toEqual({ tenant: null, principals: null });
    expect(identify('bearer  all-secret ').scope).toEqual({ tenant: 'acme', principals: null });
    expect(identify('Bearer some-secret').scope).toEqual({
      tenant: 'acme',
      principals: ['user_42', 'user_43'],
    });
  });

  test.each([undefined, '', 'Bearer', 'Bearer ', 'Bearer    ', 'Basic all-secret', 'all-secret'])(
    'S35: %j carries no token',
    (header) => {
      expect(codeOf(header)).toBe('TOKEN_MISSING');
    },
  );

  test('S35: nothing but a secret itself is taken, and nothing makes it throw otherwise', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom('all-secre', 'all-secret\u0000', 'ALL-SECRET'),
        ),
        (given) => {
          fc.pre(!['admin secret', 'all-secret', 'some-secret'].includes(given.trim()));
          expect(['TOKEN_INVALID', 'TOKEN_MISSING']).toContain(codeOf(`Bearer ${given}`));
        },
      ),
    );
  });

  test('S35: with no tokens configured nobody is let in', () => {
    expect(() => createCallerIdentifier([])('Bearer x')).toThrow('bearer token');
  });
});
