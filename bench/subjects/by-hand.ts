import { join } from 'node:path';
import { findFreePort } from '../../src/embedded/find-free-port.ts';
import { startProcess } from '../harness/start-process.ts';
import type { Subject } from './subject.ts';

export const byHand: Subject = {
  id: 'by-hand',
  title: '(b) by hand',
  relation: 'by_hand.events',
  async start({ stores, dir, secret, nodeArgs, receiverOnly }) {
    if (stores === null) throw new Error('by hand needs stores');
    const start = async (name: 'server' | 'worker') => {
      const port = await findFreePort();
      const process = await startProcess({
        name,
        args: [...nodeArgs, join(import.meta.dirname, `by-hand-${name}.js`)],
        env: {
          MAIL_SECRET: secret,
          PORT: String(port),
          QUEUE_URL: stores.queueUrl,
          DATABASE_URL: stores.databaseUrl,
          NODE_ENV: 'production',
        },
        logFile: join(dir, `${name}.log`),
        port,
      });
      return { process, port };
    };
    const worker = receiverOnly ? [] : [(await start('worker')).process];
    const server = await start('server');
    return { processes: [server.process, ...worker], port: server.port, path: '/ingress/mail-hook' };
  },
};
