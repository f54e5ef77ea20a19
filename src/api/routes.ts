import type { ApiToken } from './caller.ts';
import type { Endpoint } from './endpoint.ts';
import { ackLease } from './handlers/ack-lease.ts';
import { countBadges } from './handlers/count-badges.ts';
import { deleteDirectoryItem } from './handlers/delete-directory-item.ts';
import { explainDelivery } from './handlers/explain-delivery.ts';
import { extendLease } from './handlers/extend-lease.ts';
import { getRecord } from './handlers/get-record.ts';
import { leaseInbox } from './handlers/lease-inbox.ts';
import { listDeadLetters } from './handlers/list-dead-letters.ts';
import { listDrops } from './handlers/list-drops.ts';
import { listRecords } from './handlers/list-records.ts';
import { listWakes } from './handlers/list-wakes.ts';
import { putActivation } from './handlers/put-activation.ts';
import { putDirectoryItem } from './handlers/put-directory-item.ts';
import { releaseLease } from './handlers/release-lease.ts';
import { replayDeadLetter } from './handlers/replay-dead-letter.ts';
import { streamInbox } from './handlers/stream-inbox.ts';

export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  roles: readonly ApiToken['role'][];
  endpoint: Endpoint;
};

const route = (method: Route['method'], url: string, roles: Route['roles'], endpoint: Endpoint): Route => ({
  method,
  url,
  roles,
  endpoint,
});

const invoker = ['invoker'] as const;
const admin = ['admin'] as const;
const both = ['invoker', 'admin'] as const;

/** The API on one screen (contract: HTTP). */
export const routes: readonly Route[] = [
  route('GET', '/v1/records', both, listRecords),
  route('GET', '/v1/records/:id', both, getRecord),
  route('POST', '/v1/inbox/lease', invoker, leaseInbox),
  route('POST', '/v1/inbox/extend', invoker, extendLease),
  route('POST', '/v1/inbox/ack', invoker, ackLease),
  route('POST', '/v1/inbox/release', invoker, releaseLease),
  route('GET', '/v1/inbox/stream', invoker, streamInbox),
  route('GET', '/v1/badges', invoker, countBadges),
  route('GET', '/v1/explain', admin, explainDelivery),
  route('GET', '/v1/drops', admin, listDrops),
  route('GET', '/v1/wakes', admin, listWakes),
  route('GET', '/v1/dead-letters', admin, listDeadLetters),
  route('POST', '/v1/dead-letters/:id/replay', admin, replayDeadLetter),
  route('PUT', '/v1/directory/principals/:id', admin, putDirectoryItem('principals')),
  route('PUT', '/v1/directory/bindings/:id', admin, putDirectoryItem('bindings')),
  route('PUT', '/v1/directory/grants/:id', admin, putDirectoryItem('grants')),
  route('DELETE', '/v1/directory/principals/:id', admin, deleteDirectoryItem('principals')),
  route('DELETE', '/v1/directory/bindings/:id', admin, deleteDirectoryItem('bindings')),
  route('DELETE', '/v1/directory/grants/:id', admin, deleteDirectoryItem('grants')),
  route('PUT', '/v1/packs/:id/activation', admin, putActivation),
];
