import { notWithheld } from './scope.ts';

/**
 * SQL condition: the record that `column` names is not withheld. A subquery of its own and not a join: rows of the outbox
 * are few and records are many, so each must be looked up by its key, whatever the planner thinks of the statistics.
 * @param whenGone what it is where retention took the record
 */
export const notWithheldOf = (column: string, whenGone: boolean): string =>
  `coalesce((select ${notWithheld} from sense.records r where r.record_id = ${column}), ${whenGone})`;
