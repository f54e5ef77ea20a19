import { InvalidArgumentError } from 'commander';

/** An option's count from 1. */
export const readCount = (text: string): number => {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw new InvalidArgumentError('expected a number from 1');
  return count;
};
