export type ArgPath = readonly (string | number)[];

/**
 * `$.data.items[0].id` → `['data', 'items', 0, 'id']`: names after a dot, indexes in brackets, nothing else. Null where
 * the text is no such path. There are no filters, wildcards or expressions: nothing of it is evaluated.
 */
export const parseArgPath = (text: string): ArgPath | null => {
  if (!/^\$(\.[^.[\]]+|\[\d{1,9}\])+$/.test(text)) return null;
  return [...text.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
};

/** Whether a configured argument selects from the record instead of standing for itself. */
export const isSelector = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith('$.');
