import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** An answer as the table writes it: `202`, `415 CONTENT_TYPE_UNSUPPORTED`. */
export type AnswerRow = { name: string; answers: readonly string[] };

/** The rows of the table in docs/ingress.md that says what a caller may send and what it gets. */
export const readAnswers = (): AnswerRow[] => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/ingress.md'), 'utf8');
  const section = page.split('## What a caller may send')[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| (.*) \| (.*) \|$/gm)].map(([, name = '', answer = '']) => ({
    name,
    answers: [...answer.matchAll(/\b([2-5]\d\d)\b(?! s)(?: `([A-Z_]+)`)?/g)].map(([, status, code]) =>
      code === undefined ? `${status}` : `${status} ${code}`,
    ),
  }));
  return rows.filter(
    ({ name, answers }) => !name.startsWith('**') && (answers.length > 0 || name.includes('hang-up')),
  );
};
