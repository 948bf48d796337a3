import { defineConfig } from 'vitest/config';
import { ClosingLineReporter } from './scripts/test-run/closing-line-reporter.ts';
import { FailuresReporter } from './scripts/test-run/failures-reporter.ts';
import { testRunOptions, useMemoryForTemporaryFiles } from './scripts/test-run/options.ts';
import { PhasesReporter } from './scripts/test-run/phases-reporter.ts';

const exclude = ['**/node_modules/**', '**/.yardarm/**'];
const services = ['accounts', 'events', 'flags', 'gateway', 'integrations', 'signals'];

const { depth, seed } = testRunOptions();
useMemoryForTemporaryFiles();

const shared = {
  pool: 'forks',
  // The files of a project share the modules that a worker has loaded. Otherwise each file loads up to 660 of them.
  isolate: false,
  // Node loads the modules, as in production. Vite's loader takes twice the time. No test replaces a module, which only
  // that loader can do.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  runner: './scripts/test-run/timed-runner.ts',
  // Tests often wait: for timers, for child processes, for each other's statements. Three workers keep two cores busy.
  // A fourth one costs a tenth more CPU: it loads the modules too, and the processes drive each other out of caches.
  maxWorkers: 3,
  provide: { depth, propertySeed: seed },
  setupFiles: './packages/testing/property-seed.ts',
  hookTimeout: 60_000,
  // expect.poll waits as long as eventually(), because another process or the network makes the condition true.
  expect: { poll: { timeout: 20_000 } },
} as const;

/** Tests with the servers of the run. Some start several processes, each of which takes seconds on a busy machine. */
const withServers = (name: string, include: string) => ({
  test: {
    ...shared,
    ...{ name, include: [include], exclude, testTimeout: 60_000 },
    globalSetup: './scripts/test-run/servers.ts',
  },
});

/** Tests of the console in a browser. It is built before them. */
const inBrowser = (name: string, include: string) => {
  const { test } = withServers(name, include);
  const globalSetup = [test.globalSetup, './scripts/test-run/chromium.ts', './scripts/test-run/console.ts'];
  return { test: { ...test, testTimeout: 120_000, globalSetup } };
};

/**
 * The suffix of a file names one of six kinds of tests. Unit tests need no servers, so `--project unit` starts none.
 * All but unit and faults tests share one set of servers. Int tests are a project for each service, so that a worker
 * loads the modules of one. Faults tests crash their servers, so each file starts its own. `npm test` runs unit, int,
 * e2e and browser, `npm run test:long` all.
 */
export default defineConfig({
  test: {
    ...shared,
    reporters: ['default', new FailuresReporter(), new PhasesReporter({ depth, seed }), new ClosingLineReporter()],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...exclude, '**/*.{int,e2e,browser,long,faults}.test.ts'],
          // A unit test takes milliseconds. The limit allows for a machine under load.
          testTimeout: 30_000,
        },
      },
      ...services.map((service) => withServers(`int-${service}`, `services/${service}/**/*.int.test.ts`)),
      withServers('int-packages', 'packages/**/*.int.test.ts'),
      withServers('int-scripts', 'scripts/**/*.int.test.ts'),
      withServers('e2e', '**/*.e2e.test.ts'),
      withServers('long', '**/!(*.browser).long.test.ts'),
      inBrowser('browser', '**/*.browser.test.ts'),
      inBrowser('browser-long', '**/*.browser.long.test.ts'),
      {
        test: {
          ...shared,
          name: 'faults',
          include: ['**/*.faults.test.ts'],
          exclude,
          isolate: true,
          // Two systems at once would slow each other down and hide the effect of the faults.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          // All files together end within ten minutes. The limits of the checker are below that.
          testTimeout: 480_000,
          // A cluster, six migrations and nine processes start in 15 s, under load in more than a minute.
          hookTimeout: 240_000,
        },
      },
    ],
  },
});
