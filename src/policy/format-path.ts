/** `['stimuli', 'item.updated', 0]` → `stimuli["item.updated"][0]`, as one would write it in a program. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = String(part);
      if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `[${JSON.stringify(name)}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join('');
