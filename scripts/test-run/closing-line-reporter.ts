import { writeSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with `N passed, N failed, N skipped` alone on the last line, for programs that read the output. */
export class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const line = closingLine(modules, unhandledErrors);
    // Servers that stop after the last test still print. On exit nothing follows this line.
    process.once('exit', () => writeSync(1, `${line}\n`));
  }
}

/**
 * Counts every test, and every failure outside the tests: a file that does not load, a hook, an unhandled rejection.
 */
export function closingLine(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): string {
  const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
  for (const module of modules) {
    for (const suite of [module, ...module.children.allSuites()]) if (suite.errors().length > 0) count.failed += 1;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // A test that never ended counts as failed.
      count[state === 'pending' ? 'failed' : state] += 1;
    }
  }
  return `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
}
