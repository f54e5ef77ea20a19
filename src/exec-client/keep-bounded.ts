const secretName =
  /pass(word|wd|phrase)|secret|token|api[-_]?key|private[-_]?key|authorization|cookie|credential/i;

/**
 * What is kept of a runtime's `result` or `preview`: the value where its JSON is at most `maxBytes`, else a note of how
 * large it was. The outcome of a wake is a trace, not a second store of what the runtime holds. With `redact`, members
 * whose name says that they hold a secret are blanked: what we keep must never be worth stealing.
 */
export const keepBounded = (value: unknown, maxBytes: number, { redact }: { redact: boolean }): unknown => {
  if (value === undefined) return undefined;
  const text =
    JSON.stringify(value, (key, member: unknown) =>
      redact && secretName.test(key) ? '[redacted]' : member,
    ) ?? 'null';
  const bytes = Buffer.byteLength(text);
  return bytes <= maxBytes
    ? (JSON.parse(text) as unknown)
    : { omitted: `larger than ${maxBytes} bytes`, bytes };
};
