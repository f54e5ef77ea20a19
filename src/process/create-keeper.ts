import { type ChildProcess, spawn } from 'node:child_process';
import type { Logger } from 'pino';

/**
 * Holds our pipe and a list of process groups. When the pipe ends, because we are gone in whatever way (SIGKILL
 * included), it ends what is on the list: TERM, and KILL after five seconds. It starts nothing and is told numbers only.
 */
const script = `
groups=
while read -r what group; do
  kept=
  for each in $groups; do [ "$each" = "$group" ] || kept="$kept $each"; done
  groups=$kept
  [ "$what" = + ] && groups="$groups $group"
done
left() { for each in $groups; do kill -0 -$each 2>/dev/null && return 0; done; return 1; }
for each in $groups; do kill -TERM -$each 2>/dev/null; done
for second in 1 2 3 4 5; do left || exit 0; sleep 1; done
for each in $groups; do kill -KILL -$each 2>/dev/null; done
`;

export type Keeper = {
  /** From now on this group ends with us. */
  keep(group: number): void;
  /** It is gone, and its number may soon be somebody else's. */
  forget(group: number): void;
  close(): Promise<void>;
};

/** Sees to it that no process group that we started outlives us. One for all; a keeper that is killed is replaced. */
export const createKeeper = (log: Logger): Keeper => {
  const groups = new Set<number>();
  let current: ChildProcess | null = null;
  let closing = false;

  const tell = (what: '+' | '-', group: number): void => {
    current?.stdin?.write(`${what} ${group}\n`);
  };
  const start = (): void => {
    const child = spawn('/bin/sh', ['-c', script, 'hcp-sense-keeper'], {
      cwd: '/',
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      // Of its own session: what ends our group (a Ctrl-C, a supervisor) must find it alive.
      detached: true,
    });
    // A pipe whose reader died is told by `exit`; without a listener it would end our process.
    child.stdin?.on('error', () => undefined);
    let over = false;
    const onEnd = (why: string) => {
      if (over) return;
      over = true;
      if (closing) return;
      current = null;
      log.warn({ why }, 'keeper.ended');
      setTimeout(() => {
        if (!closing && current === null) start();
      }, 1_000).unref();
    };
    child.on('error', (error) => onEnd(error.message));
    child.on('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`));
    current = child;
    for (const group of groups) tell('+', group);
    child.unref();
  };
  start();

  return {
    keep(group) {
      groups.add(group);
      tell('+', group);
    },
    forget(group) {
      if (groups.delete(group)) tell('-', group);
    },
    async close() {
      closing = true;
      const child = current;
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.ref();
      child.stdin?.end();
      await ended;
    },
  };
};
