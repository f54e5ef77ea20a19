const flag = /^-{1,2}(confirm|apply)(=.*)?$/is;

/**
 * Where arguments would confirm a command, or null. A wake never confirms (S28), and what it sends may come from a
 * stranger's payload, so this looks at every depth: for members named `confirm` or `apply`, and for the flags of the
 * protocol's CLI face, `--confirm` and `--apply`, as a value anywhere or as a word under `cli`.
 * Walks with a list of its own: nesting must not exhaust the stack.
 */
export const findConfirmation = (args: Readonly<Record<string, unknown>>): string | null => {
  const open: { value: unknown; path: string; inCli: boolean }[] = [
    { value: args, path: 'args', inCli: false },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, inCli } = next;
    if (typeof value === 'string') {
      const words = inCli ? value.split(/[\s'"`;&|,()]+/) : [value.trim()];
      if (words.some((word) => flag.test(word))) return path;
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        open.push({ value: item, path: `${path}[${index}]`, inCli });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        const name = key.trim().replace(/^-+/, '').toLowerCase();
        if (name === 'confirm' || name === 'apply') return `${path}.${key}`;
        open.push({ value: item, path: `${path}.${key}`, inCli: inCli || name === 'cli' });
      }
    }
  }
  return null;
};
