import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** @returns a port of 127.0.0.1 that was free a moment ago; somebody may take it before you do, so be ready to ask again. */
export const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
