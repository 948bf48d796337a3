import * as servers from '@yardarm/testing/global-setup';
import type { TestProject } from 'vitest/node';

// Vitest runs the global setup once per project, each time in another copy of this module. But int and e2e share one
// set of servers, so their state is on globalThis. The first project starts the servers for the root project, whose
// provided values every project inherits. The last project stops them. Without int and e2e (`--project unit`, or only
// unit files) nothing starts.
interface Run {
  users: number;
  started: Promise<void>;
  /** Of the copy that started the servers. Only it can stop them. */
  stop: () => Promise<void>;
}
const runs = globalThis as { [key: symbol]: Run | undefined };
const key = Symbol.for('yardarm.test-servers');

export async function setup(project: TestProject): Promise<void> {
  runs[key] ??= { users: 0, started: servers.setup(project.vitest.getRootProject()), stop: servers.teardown };
  runs[key].users += 1;
  await runs[key].started;
}

export async function teardown(): Promise<void> {
  const run = runs[key];
  if (!run) return;
  run.users -= 1;
  if (run.users === 0) await run.stop();
}
