import { defineConfig } from 'vitest/config';
import { ClosingLineReporter } from './scripts/closing-line-reporter.ts';

const exclude = ['**/node_modules/**', '**/.yardarm/**'];
// A process that runs tests holds a whole system in e2e; two at a time is what two cores carry.
// A condition that should come true has as long as eventually() gives it, since another process or the network makes it true.
const expectation = { poll: { timeout: 20_000 } };
const shared = { pool: 'forks', maxWorkers: 2, hookTimeout: 60_000, expect: expectation } as const;

/**
 * Four kinds of test, told apart by suffix. Unit tests need no servers, so `--project unit` starts none; int and e2e share a set; faults
 * crash theirs, so each file brings its own (`npm run test:faults`, no part of `npm test`).
 */
export default defineConfig({
  test: {
    ...shared,
    reporters: ['default', new ClosingLineReporter()],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...exclude, '**/*.{int,e2e,faults}.test.ts'],
          // Each takes milliseconds; a machine that others load as well must not make one fail.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'int',
          include: ['**/*.int.test.ts'],
          exclude,
          globalSetup: './scripts/test-servers.ts',
          // Some start several processes, each of which takes seconds on a machine that others load.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['**/*.e2e.test.ts'],
          exclude,
          globalSetup: './scripts/test-servers.ts',
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'faults',
          include: ['**/*.faults.test.ts'],
          exclude,
          // One file after the other: two systems at once would measure each other's share of the machine and not the faults.
          fileParallelism: false,
          // The checker promises ten minutes at most for all; its own limits are below that.
          testTimeout: 480_000,
          // A cluster, six migrations and nine processes: 15 s on a quiet machine, more than a minute on one that others load.
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
