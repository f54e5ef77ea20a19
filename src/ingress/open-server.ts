import type { FastifyInstance } from 'fastify';
import { CodedError } from '../domain/errors.ts';

/** How long a stop waits for requests in hand. */
const GRACE_MS = 3_000;

/**
 * Starts listening. `close` lets requests in hand end; a socket on which nothing was ever said counts as one of them to
 * Node, and is cut after three seconds.
 *
 * @throws CodedError PORT_IN_USE
 */
export const openServer = async (
  server: FastifyInstance,
  host: string,
  port: number,
): Promise<{ url: string; close: () => Promise<void> }> => {
  try {
    const url = await server.listen({ host, port });
    return { url, close: () => closeServer(server) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new CodedError('PORT_IN_USE', `Port ${port} on ${host} is taken by another process`, {
        cause: error,
      });
    }
    throw error;
  }
};

const closeServer = async (server: FastifyInstance): Promise<void> => {
  const cut = setTimeout(() => server.server.closeAllConnections(), GRACE_MS);
  await server.close();
  clearTimeout(cut);
};
