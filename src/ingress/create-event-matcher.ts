/**
 * Makes the look-up of event patterns (exact, or ending with `*`). Of all patterns that match any of the names the one
 * with the most characters before its `*` wins, exact before `*`: `issues.opened` beats `issues.*` beats `*`.
 */
export const createEventMatcher = <Value>(patterns: Readonly<Record<string, Value>>) => {
  const exact = new Map<string, Value>();
  const prefixes: { prefix: string; value: Value }[] = [];
  for (const [pattern, value] of Object.entries(patterns)) {
    if (pattern.endsWith('*')) prefixes.push({ prefix: pattern.slice(0, -1), value });
    else exact.set(pattern, value);
  }
  prefixes.sort((a, b) => b.prefix.length - a.prefix.length);

  /** @param names of one event, the more exact first */
  return (names: readonly string[]): Value | undefined => {
    const name = names.find((one) => exact.has(one));
    const found = prefixes.find(({ prefix }) => names.some((one) => one.startsWith(prefix)));
    if (name === undefined || (found !== undefined && found.prefix.length > name.length)) return found?.value;
    return exact.get(name);
  };
};
