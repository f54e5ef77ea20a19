/**
 * What `work` resolves to, or `fallback` as soon as `signal` is aborted. Not `Promise.race`: raced against a promise
 * that lives as long as the process, every result would be kept for as long.
 */
export const untilAborted = <T>(work: Promise<T>, signal: AbortSignal, fallback: T): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = () => resolve(fallback);
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
