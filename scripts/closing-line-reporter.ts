import { writeSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with `N passed, N failed, N skipped` alone on the last line, for whoever reads the output by machine. */
export class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const line = closingLine(modules, unhandledErrors);
    // Servers that stop after the last test still print; on exit nothing comes behind this line.
    process.once('exit', () => writeSync(1, `${line}\n`));
  }
}

/** Counts every test once, and every failure that no test carries: a file that does not load, a hook, a stray rejection. */
export function closingLine(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): string {
  const count = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
  for (const module of modules) {
    for (const suite of [module, ...module.children.allSuites()]) if (suite.errors().length > 0) count.failed += 1;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // A test that never came to its end is no success.
      count[state === 'pending' ? 'failed' : state] += 1;
    }
  }
  return `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
}
