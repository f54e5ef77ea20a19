import type { Announcement } from '../domain/announcement.ts';
import { locateInWorkspace } from './locate-in-workspace.ts';

const pathOf = (data: string): string | null => {
  const value: unknown = JSON.parse(data);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'path')) return null;
  const { path } = value as { path: unknown };
  return typeof path === 'string' ? path : null;
};

/**
 * An announcement of `local` land whose `data.path` leads out of its workspace over a symbolic link rides on as a refusal,
 * without its payload (S19, G6). The rest (`..`, other absolute paths, a source without workspace) the policy sees by the
 * text alone; links can only be followed here, where the files are.
 */
export const holdToWorkspace = async (announcement: Announcement): Promise<Announcement> => {
  const { workspace, data } = announcement;
  const path = workspace === null ? null : pathOf(data);
  if (workspace === null || path === null) return announcement;
  const found = await locateInWorkspace(workspace, path);
  if (found !== null) return { ...announcement, workspace: found };
  return {
    ...announcement,
    data: 'null',
    refusal: {
      reason: 'workspace_outside',
      rule: 'follow-links',
      detail: 'data.path, with its symbolic links followed, leads out of the workspace',
    },
  };
};
