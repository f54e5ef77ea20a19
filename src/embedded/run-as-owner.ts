import { spawn } from 'node:child_process';
import type { PostgresOwner } from './choose-postgres-owner.ts';

/**
 * Runs a program to its end as the owner of the cluster.
 *
 * @returns its exit code (null when it could not be started or was killed at the deadline) and the end of its output
 */
export const runAsOwner = (
  owner: PostgresOwner | null,
  file: string,
  args: readonly string[],
  timeoutMs = 60_000,
): Promise<{ code: number | null; output: string }> =>
  new Promise((resolve) => {
    const child = spawn(file, args, {
      // Where we stand may be a directory that the owner cannot enter; Postgres' tools refuse to run then.
      cwd: '/',
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      ...(owner && { uid: owner.uid, gid: owner.gid }),
    });
    let output = '';
    const keepEnd = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4096);
    };
    child.stdout.on('data', keepEnd);
    child.stderr.on('data', keepEnd);
    child.on('error', (error) => resolve({ code: null, output: error.message }));
    child.on('close', (code) => resolve({ code, output: output.trim() }));
  });
