import type { TestProject } from 'vitest/node';
import { createTemplate } from './databases.ts';
import { startTestServers, type TestServers } from './servers/index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Postgres, as its superuser; the database in it is the migrated template of this run. */
    postgresUrl: string;
    natsUrl: string;
  }
}

let servers: TestServers | undefined;

/** Brings up one Postgres and one NATS for the run, and the migrated template that every test file's database is a clone of. */
export async function setup(project: TestProject): Promise<void> {
  servers = await startTestServers();
  await createTemplate(servers.postgresUrl);
  project.provide('postgresUrl', servers.postgresUrl);
  project.provide('natsUrl', servers.natsUrl);
}

/** Stops what setup started. */
export async function teardown(): Promise<void> {
  await servers?.stop();
}
