import type { Scope } from '../store/scope.ts';

/** A token of the configuration with its secret resolved. */
export type ApiToken = { id: string; secret: string } & (
  | { role: 'admin' }
  | {
      role: 'invoker';
      tenant: string;
      /** Principal ids; `*` among them is every Principal of the tenant. */
      principals: readonly string[];
    }
);

/** Who calls, and what every query for them is bound to. */
export type Caller = { token: string; role: ApiToken['role']; scope: Scope };
