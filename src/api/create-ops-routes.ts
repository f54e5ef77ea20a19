import type { FastifyPluginAsync } from 'fastify';

type OpsParts = {
  readiness: () => Promise<{ ready: boolean }>;
  metrics: { contentType: string; metrics: () => Promise<string> };
};

/**
 * What a supervisor asks of a process, without a token: is it alive (`/healthz`), can it accept and move work and if
 * not what is wrong (`/readyz`, 503), and its figures for Prometheus (`/metrics`). None of them shows a payload.
 */
export const createOpsRoutes =
  ({ readiness, metrics }: OpsParts): FastifyPluginAsync =>
  async (server) => {
    server.get('/healthz', async () => ({ ok: true }));
    server.get('/readyz', async (_, reply) => {
      const answer = await readiness();
      return reply.code(answer.ready ? 200 : 503).send(answer);
    });
    server.get('/metrics', async (_, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
  };
