import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LoadMessage, LoadOrder, LoadResult } from '../load/load-orders.ts';

/** A load process that has signed its requests and waits; `go` starts its clock. It ends with its result. */
export const startLoad = async (order: LoadOrder): Promise<{ go(): Promise<LoadResult> }> => {
  const child = fork(join(import.meta.dirname, '..', 'load', 'load-process.js'), { stdio: 'inherit' });
  const end = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', end);
  child.once('exit', () => process.removeListener('exit', end));
  const hear = async (): Promise<LoadMessage> => {
    const ended = once(child, 'exit').then(
      (): LoadMessage => ({ kind: 'failed', why: 'the load process ended' }),
    );
    const heard = once(child, 'message').then(([message]) => message as LoadMessage);
    return Promise.race([heard, ended]);
  };
  child.send(order);
  const first = await hear();
  if (first.kind !== 'ready') throw new Error(`load: ${JSON.stringify(first)}`);
  return {
    async go() {
      child.send('go');
      const message = await hear();
      if (message.kind === 'done') return message.result;
      throw new Error(`load: ${message.kind === 'failed' ? message.why : message.kind}`);
    },
  };
};
