import type { Command } from 'commander';
import { vi } from 'vitest';

/** Runs a command in this process as the program would; what it printed, and the exit code it set. */
export const runCommand = async (
  command: Command,
  ...args: string[]
): Promise<{ out: string; exitCode: number }> => {
  const lines: string[] = [];
  const spy = vi.spyOn(console, 'log').mockImplementation((line: string) => {
    lines.push(line);
  });
  process.exitCode = 0;
  try {
    await command.exitOverride().parseAsync(args, { from: 'user' });
    return { out: lines.join('\n'), exitCode: Number(process.exitCode ?? 0) };
  } finally {
    process.exitCode = 0;
    spy.mockRestore();
  }
};
