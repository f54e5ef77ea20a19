import { join } from 'node:path';
import { findFreePort } from '../../src/embedded/find-free-port.ts';
import { startProcess } from '../harness/start-process.ts';
import type { Subject } from './subject.ts';

export const ceiling: Subject = {
  id: 'ceiling',
  title: '(a) ceiling',
  relation: null,
  async start({ dir, secret, nodeArgs }) {
    const port = await findFreePort();
    const server = await startProcess({
      name: 'server',
      args: [...nodeArgs, join(import.meta.dirname, 'ceiling-server.js')],
      env: { MAIL_SECRET: secret, PORT: String(port), NODE_ENV: 'production' },
      logFile: join(dir, 'server.log'),
      port,
    });
    return { processes: [server], port, path: '/ingress/mail-hook' };
  },
};
