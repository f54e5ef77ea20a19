import type { Step, Verdict } from './verdict.ts';

type No = Verdict & { ok: false };

/** The verdict that refuses. */
export const no = (code: No['code'], step: Step, why: string): No => ({ ok: false, code, step, why });
