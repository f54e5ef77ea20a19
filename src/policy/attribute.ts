import type { Announcement } from '../domain/announcement.ts';
import type { Attribution, BindingFact, Drop } from '../domain/decision.ts';
import type { PolicyRow } from '../domain/pack.ts';
import { isInside } from './is-inside.ts';

/**
 * Whose the event is and where it belongs (S14): Principal, tenant and project come from the Binding, the land from
 * Policy (S03), never from the payload (S20, G5). `brain` needs a project (S18); `local` must stay in the source's
 * workspace (S19).
 */
export const attribute = (
  announcement: Announcement,
  binding: BindingFact,
  row: PolicyRow,
): Attribution | Drop => {
  if (binding.principal === null) {
    return no(binding, 'binding_unknown', `the Principal of Binding "${binding.id}" is not in the directory`);
  }
  if (row.land === 'brain' && binding.project === null) {
    return no(
      binding,
      'project_required',
      `land brain needs a project, and Binding "${binding.id}" has none`,
    );
  }
  if (row.land === 'local') {
    const outside = outsideOf(announcement);
    if (outside !== null) return no(binding, 'workspace_outside', outside);
  }
  return {
    tenant: binding.principal.tenant,
    principal: { id: binding.principal.id, kind: binding.principal.kind },
    binding: binding.id,
    land: row.land,
    project: row.land === 'brain' ? binding.project : null,
  };
};

/** Why a `local` event is outside its workspace, or null. `data.path` may only narrow: it chooses nothing. */
const outsideOf = ({ source, workspace, data }: Announcement): string | null => {
  if (workspace === null) return `source "${source}" has no workspace (cwd), and land local belongs to one`;
  const payload: unknown = JSON.parse(data);
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'path')) return null;
  const { path } = payload as { path: unknown };
  if (typeof path !== 'string') return 'data.path is not text';
  return isInside(workspace, path) ? null : 'data.path leads out of the workspace';
};

const no = (binding: BindingFact, reason: Drop['reason'], why: string): Drop => ({
  kind: 'drop',
  reason,
  rule: 'attribute',
  why,
  binding: binding.id,
});
