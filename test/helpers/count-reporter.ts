import { writeSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/** Prints `N passed, N failed, N skipped` as the very last line: of the whole process, hence on its exit. */
export default class CountReporter implements Reporter {
  private readonly counts = { passed: 0, failed: 0, skipped: 0 };
  private hasEnded = false;

  onInit(): void {
    process.on('exit', () => {
      // A run that never came to its end (set-up failed), or that failed after its last test (a leak), is no zero.
      if (process.exitCode && this.counts.failed === 0) this.counts.failed = 1;
      if (!this.hasEnded && this.counts.failed === 0) this.counts.failed = 1;
      const { passed, failed, skipped } = this.counts;
      writeSync(1, `${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    this.hasEnded = true;
    this.counts.failed = errors.length;
    this.counts.passed = 0;
    this.counts.skipped = 0;
    for (const module of modules) {
      // A file that cannot be loaded holds no test to count.
      this.counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') this.counts.passed += 1;
        else if (state === 'failed') this.counts.failed += 1;
        else this.counts.skipped += 1;
      }
    }
  }
}
