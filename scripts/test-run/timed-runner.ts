import { type RunnerTask, type RunnerTestCase, TestRunner } from 'vitest';

/** Seconds of one test file: its hooks before its tests, its tests without hooks, its hooks after them. */
export interface HookTimes {
  setup: number;
  tests: number;
  teardown: number;
}

// Tests may replace the clocks of the process.
const now = performance.now.bind(performance);

declare module 'vitest' {
  interface TaskMeta {
    times?: HookTimes;
  }
}

/**
 * Adds up for each file how long its hooks and its tests took. Vitest itself reports only both together.
 *
 * One phase is current at each moment: `setup` from the start of a suite or test to the test's function, `tests` in the
 * function, `teardown` from its end to the next start. The tests of a file run one after another.
 */
export class TimedRunner extends TestRunner {
  #phase: keyof HookTimes = 'setup';
  #since = now();

  #enter(phase: keyof HookTimes, { file }: RunnerTask): void {
    const at = now();
    file.meta.times ??= { setup: 0, tests: 0, teardown: 0 };
    file.meta.times[this.#phase] += (at - this.#since) / 1000;
    this.#phase = phase;
    this.#since = at;
  }

  override async onBeforeRunSuite(suite: Parameters<TestRunner['onBeforeRunSuite']>[0]): Promise<void> {
    if (suite === suite.file) this.#since = now();
    this.#enter('setup', suite);
    await super.onBeforeRunSuite(suite);
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    this.#enter('setup', test);
    await super.onBeforeRunTask(test);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    this.#enter('tests', test);
    try {
      await TestRunner.getTestFn(test)();
    } finally {
      this.#enter('teardown', test);
    }
  }

  override async onAfterRunSuite(suite: Parameters<TestRunner['onAfterRunSuite']>[0]): Promise<void> {
    this.#enter('teardown', suite);
    await super.onAfterRunSuite(suite);
  }
}

// Vitest takes the runner of a project from the default export of a file.
// biome-ignore lint/style/noDefaultExport: see above
export default TimedRunner;
