/** First part of every Redis key of ours. BullMQ on Postgres ignores it: there the schema is the name space. */
export const keyPrefix = 'hcp';

/**
 * The queue of one partition. The braces are a Redis Cluster hash tag: all keys of one partition lie in one slot, and
 * partitions spread over slots. A colon is what BullMQ refuses in a queue's name.
 */
export const eventQueueName = (partition: number): string => `{sense-p${partition}}`;

/** The queue of offers named `name` (`wakes`, `surfacings`). */
export const offerQueueName = (name: string): string => `{sense-${name}}`;

/** Entries of BullMQ's event stream per queue. Its default is 10,000; nothing of ours reads them. */
export const keptEvents = 16;
