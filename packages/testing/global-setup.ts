import type { TestProject } from 'vitest/node';
import { startTestServers, type TestServers } from './servers/index.ts';
import { createTemplate } from './template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of Postgres with the superuser's login. The server has the migrated template of this run. */
    postgresUrl: string;
    /** Of the run's NATS, whose only user may do everything. */
    natsUrl: string;
    serversKind: TestServers['kind'];
  }
}

let servers: TestServers | undefined;

/** Starts one Postgres and one NATS for the run, and creates the template of every test file's database. */
export async function setup(project: TestProject): Promise<void> {
  servers = await startTestServers();
  await createTemplate(servers.postgresUrl);
  project.provide('postgresUrl', servers.postgresUrl);
  project.provide('natsUrl', servers.natsUrl);
  project.provide('serversKind', servers.kind);
}

export async function teardown(): Promise<void> {
  await servers?.stop();
}
