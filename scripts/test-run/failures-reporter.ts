import type { Reporter, TestCase } from 'vitest/node';

/** Longer messages are those of waits that list what they saw. The end of the run has them whole. */
const maxLines = 12;

/** Prints why a test failed when it has, so that a long run which is ended by hand has told it. */
export class FailuresReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== 'failed') return;
    for (const { message } of errors)
      console.log(`failed: ${test.fullName}\n${message.split('\n').slice(0, maxLines).join('\n')}`);
  }
}
