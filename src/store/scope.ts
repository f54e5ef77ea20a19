/** What a token may see. It is part of every query as parameters, never a filter applied to what a query returned. */
export type Scope = {
  /** Null: every tenant (operators). */
  tenant: string | null;
  /** Principal ids; null: every Principal of the tenant. */
  principals: readonly string[] | null;
};

/** The first two parameters of every query that reads or leases records. */
export const scopeValues = (scope: Scope): [string | null, readonly string[] | null] => [
  scope.tenant,
  scope.principals,
];

/** Condition on `r` (sense.records) for the parameters of `scopeValues` as $1 and $2. */
export const inScope = `($1::text is null or r.tenant_id = $1) and ($2::text[] is null or r.principal_id = any($2))`;

/**
 * A `brain` record is withheld until its Principal is a member of its project; being of the tenant is not enough (S18).
 * Read from the directory each time, so that leaving the project withholds it again.
 */
export const notWithheld = `(r.land <> 'brain' or exists (
  select from sense.principals p
  where p.principal_id = r.principal_id and p.tenant_id = r.tenant_id and r.project_id = any(p.projects)))`;
