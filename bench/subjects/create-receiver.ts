import Fastify, { type FastifyInstance } from 'fastify';
import { verifySignature } from './verify-signature.ts';

/** Fastify with the body kept as bytes, the HMAC check and JSON.parse; what becomes of the event is the caller's. */
export const createReceiver = (
  secret: string,
  accept: (event: unknown, receivedAt: Date) => Promise<void> | void,
): FastifyInstance => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const app = Fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.get('/readyz', () => ({ ready: true }));
  app.post<{ Body: Buffer }>('/ingress/mail-hook', async (request, reply) => {
    const receivedAt = new Date();
    if (!verifySignature(key, request.headers, request.body)) {
      return reply.code(401).send({ error: 'signature' });
    }
    await accept(JSON.parse(request.body.toString('utf8')), receivedAt);
    return reply.code(202).send({ accepted: 1 });
  });
  return app;
};
