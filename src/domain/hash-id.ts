import { hash } from 'node:crypto';

/**
 * SHA-256 of an id exactly as it was sent, lower-case hex. `JSON.stringify` escapes lone surrogates, which UTF-8 would all
 * turn into the same replacement character: two different ids must not become one event.
 */
export const hashId = (id: string): string => hash('sha256', JSON.stringify(id), 'hex');
