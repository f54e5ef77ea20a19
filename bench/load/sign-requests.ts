import { createHmac, randomBytes } from 'node:crypto';
import { makeAnnouncement } from './make-announcement.ts';

type SignOptions = { port: number; path: string; secret: string; accounts: number; count: number };

/**
 * Whole HTTP requests as bytes, each with its own event id and its own signature (Standard Webhooks), made before
 * anything is measured: signing costs about what verifying costs, and would otherwise be measured with the subject.
 */
export const signRequests = ({ port, path, secret, accounts, count }: SignOptions): Buffer[] => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  // Ids of one run never meet those of another, so no run is answered from another's duplicates.
  const run = randomBytes(6).toString('hex');
  const timestamp = Math.floor(Date.now() / 1000);
  return Array.from({ length: count }, (_, index) => {
    const id = `msg_${run}${index.toString(36)}`;
    const body = JSON.stringify(makeAnnouncement(id, index % accounts));
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return Buffer.from(
      `POST ${path} HTTP/1.1\r\n` +
        `host: 127.0.0.1:${port}\r\n` +
        'user-agent: bench\r\n' +
        'content-type: application/json\r\n' +
        `content-length: ${Buffer.byteLength(body)}\r\n` +
        `webhook-id: ${id}\r\n` +
        `webhook-timestamp: ${timestamp}\r\n` +
        `webhook-signature: v1,${signature}\r\n` +
        `\r\n${body}`,
    );
  });
};
