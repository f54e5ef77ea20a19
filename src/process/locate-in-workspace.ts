import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';

const isUnder = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

const exists = async (path: string): Promise<boolean> => {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
};

/**
 * Where a path really leads, `..` after a link included, which its text alone would get wrong. What does not exist (any
 * more) lies where its nearest folder that does exist lies; a link to nothing could lead anywhere tomorrow.
 *
 * @throws where it can't be followed
 */
const follow = async (path: string): Promise<string> => {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await realpath(at), ...missing);
    } catch (error) {
      if (!isAbsent(error) || dirname(at) === at || (await exists(at))) throw error;
      missing.unshift(basename(at));
    }
  }
};

/**
 * Whether `path`, followed through every symbolic link, stays in the directory `workspace`. A relative path is taken from
 * the workspace.
 *
 * @returns the name of the workspace (as configured, or with its own links followed) under which the path's text stands,
 *   or null where it leads out or can't be followed
 */
export const locateInWorkspace = async (workspace: string, path: string): Promise<string | null> => {
  if (path.includes('\0')) return null;
  try {
    const real = await realpath(workspace);
    if (!isUnder(real, await follow(isAbsolute(path) ? path : `${real}/${path}`))) return null;
    return isAbsolute(path) && isUnder(real, resolve(path)) ? real : workspace;
  } catch {
    // A loop of links, a name that is too long, a folder that we may not enter: not shown to be inside.
    return null;
  }
};
