import type { Adapter } from './adapter.ts';

type Issue = { number: number; title: string; comments: string[] };

/** A tracker per tenant and project, in memory, with two issues in it. */
export const createIssuesAdapter = (): Adapter => {
  const trackers = new Map<string, Issue[]>();
  const issuesOf = (tenant: string, project: string | null) => {
    const key = JSON.stringify([tenant, project]);
    const issues = trackers.get(key) ?? [
      { number: 1, title: 'The door squeaks', comments: [] },
      { number: 2, title: 'Paint the fence', comments: [] },
    ];
    trackers.set(key, issues);
    return issues;
  };
  return {
    'issues.list': (_args, { tenantId, projectId }) => ({
      ok: true,
      result: { issues: issuesOf(tenantId, projectId).map(({ number, title }) => ({ number, title })) },
    }),
    'issues.get': ({ number }, { tenantId, projectId }) => {
      const issue = issuesOf(tenantId, projectId).find((one) => one.number === number);
      return issue === undefined
        ? { ok: false, error: 'no such issue' }
        : { ok: true, result: structuredClone(issue) };
    },
    'issues.comment': ({ number, body }, { tenantId, projectId }) => {
      const issue = issuesOf(tenantId, projectId).find((one) => one.number === number);
      if (issue === undefined) return { ok: false, error: 'no such issue' };
      issue.comments.push(String(body ?? ''));
      return { ok: true, result: { number, comments: issue.comments.length } };
    },
    'issues.connect': () => ({ ok: true, result: { connected: true } }),
  };
};
