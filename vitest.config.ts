import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/global-setup.ts'],
    reporters: ['default', './test/helpers/count-reporter.ts'],
    pool: 'forks',
    // Real stores and real processes share the machine with the tests; two files at a time keep two cores honest.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Stopping the stores and looking for processes left behind; cut short, a leak would go unseen.
    teardownTimeout: 60_000,
    restoreMocks: true,
  },
});
