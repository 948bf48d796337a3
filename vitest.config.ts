import { defineConfig } from 'vitest/config';
import { ClosingLineReporter } from './scripts/closing-line-reporter.ts';

const exclude = ['**/node_modules/**', '**/.yardarm/**'];
// expect.poll waits as long as eventually(), because another process or the network makes the condition true.
const expectation = { poll: { timeout: 20_000 } };
// An e2e test file starts a whole system in its process. Two cores carry two of them.
const shared = { pool: 'forks', maxWorkers: 2, hookTimeout: 60_000, expect: expectation } as const;

/**
 * The suffix of a file names one of four kinds of tests. Unit tests need no servers, so `--project unit` starts none.
 * Int and e2e tests share one set of servers. Faults tests crash their servers, so each file starts its own
 * (`npm run test:faults`, which `npm test` does not include).
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
          // A unit test takes milliseconds. The limit allows for a machine under load.
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
          // Some tests start several processes, each of which takes seconds on a machine under load.
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
          // Two systems at once would slow each other down and hide the effect of the faults.
          fileParallelism: false,
          // All files together end within ten minutes. The limits of the checker are below that.
          testTimeout: 480_000,
          // A cluster, six migrations and nine processes start in 15 s, under load in more than a minute.
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
