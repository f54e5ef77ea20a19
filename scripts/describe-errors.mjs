/**
 * docs/errors.md as text.
 * @param {Record<string, { status: number, retry: boolean, means: string, mend: string }>} catalogue
 */
export const describeErrors = (catalogue) =>
  [
    '# Errors',
    '',
    'Every error has a code. Over HTTP it comes as `{ "error": { "code", "message", "request_id" } }` with the status',
    'below; the command line prints the same code and message. *Retry* says whether the same call may succeed later',
    'without anybody changing anything. A code is never used again for something else.',
    '',
    'This page is written from `src/domain/errors.ts` by `npm run docs:errors`.',
    '',
    '| code | status | retry | what happened | how to mend it |',
    '|---|---|---|---|---|',
    ...Object.entries(catalogue).map(
      ([code, { status, retry, means, mend }]) =>
        `| \`${code}\` | ${status} | ${retry ? 'yes' : 'no'} | ${means} | ${mend.replaceAll('|', '\\|')} |`,
    ),
    '',
  ].join('\n');
