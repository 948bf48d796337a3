import * as servers from '@yardarm/testing/global-setup';
import type { TestProject } from 'vitest/node';

// Vitest runs a project's global setup once per project and gives each project a copy of this module, but int and
// e2e share one set of servers. So what counts lies on globalThis: the first project to come starts the servers in
// the name of the root project, whose provided values every project inherits; the last to go stops them. Without
// int and e2e (`--project unit`, or only unit files named) nothing starts.
interface Run {
  users: number;
  started: Promise<void>;
  /** Of the copy that started them: what it holds, the other copies do not know. */
  stop: () => Promise<void>;
}
const runs = globalThis as { [key: symbol]: Run | undefined };
const key = Symbol.for('yardarm.test-servers');

/** Starts the servers of this run unless another project has. */
export async function setup(project: TestProject): Promise<void> {
  runs[key] ??= { users: 0, started: servers.setup(project.vitest.getRootProject()), stop: servers.teardown };
  runs[key].users += 1;
  await runs[key].started;
}

/** Stops the servers when the last project that used them is done. */
export async function teardown(): Promise<void> {
  const run = runs[key];
  if (!run) return;
  run.users -= 1;
  if (run.users === 0) await run.stop();
}
