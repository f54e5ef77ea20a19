/**
 * Whether `path` stays inside the absolute directory `workspace`, judged by its text alone: `..` is resolved, nothing is
 * looked up. A relative path is taken from the workspace. Symbolic links are the adapter's business, which can look.
 */
export const isInside = (workspace: string, path: string): boolean => {
  if (path.includes('\0')) return false;
  const root = resolve('', workspace);
  const target = path.startsWith('/') ? resolve('', path) : resolve(root, path);
  return target === root || target.startsWith(root === '/' ? '/' : `${root}/`);
};

/** `node:path` reads the process's working directory, and a decision may not depend on it. */
const resolve = (base: string, path: string): string => {
  const parts: string[] = base === '' ? [] : base.split('/').filter((part) => part !== '');
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
};
