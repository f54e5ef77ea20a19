import { describe, expect, it } from 'vitest';
import { queueStoreOf } from '../../src/queue/queue-store-of.ts';

describe('queueStoreOf', () => {
  it.each([
    ['redis://127.0.0.1:6379', 'redis'],
    ['rediss://user:pw@cache.example.com:6380/2', 'redis'],
    ['postgres://u:p@db.example.com/app', 'postgres'],
    ['postgresql://db.example.com/app?sslmode=require', 'postgres'],
  ])('%s is %s', (url, kind) => {
    expect(queueStoreOf(url)).toEqual({ kind, url });
  });

  it.each(['mysql://u:geheim@h/d', 'geheim', '', '//geheim@host'])(
    'refuses %j without repeating it',
    (url) => {
      const refuse = () => queueStoreOf(url);
      expect(refuse).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
      expect(refuse).not.toThrow(/geheim/);
    },
  );
});
