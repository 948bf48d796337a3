// The six services as processes, on servers that crash. Unless a test says otherwise, services with leases have two
// replicas, the others one.
import { randomBytes } from 'node:crypto';
import type { ServiceName } from '@yardarm/shared/contracts';
import { createTestDatabase, eventually, type TestDatabase } from '@yardarm/testing';
import { createTemplate } from '@yardarm/testing/template';
import { nodeOptions } from '../../scripts/start/node-options.ts';
import { migrateBy } from './checkout.ts';
import { Replica } from './replica.ts';
import { type CrashingServers, startCrashingServers, type YardarmServers } from './servers.ts';

const replicaCounts: Record<ServiceName, number> = {
  ...{ flags: 2, events: 2, integrations: 2 },
  ...{ accounts: 1, signals: 1, gateway: 1 },
};

/** Short, so that a writer soon continues after an outage. A write takes only milliseconds. */
const requestTimeoutMs = 3_000;

/** A lease expires within 5 s and a claim within 10 s, so this limit is generous on a busy machine too. */
const readyLimitMs = 60_000;

export interface Yardarm<Servers extends YardarmServers = CrashingServers> {
  /** The URL of the first gateway, which it keeps across restarts. */
  url(): string;
  adminToken: string;
  servers: Servers;
  database: TestDatabase;
  replicas: readonly Replica[];
  replicasOf(service: ServiceName): Replica[];
  /** Calls the public API as an admin; throws unless it answers with a 2xx. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read properties of answers and compare them.
  call(method: string, path: string, body?: unknown): Promise<any>;
  untilReady(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * `counts` replaces the numbers of replicas. A test may leave out services. `settings` adds to those of a replica. The
 * migrations and the services are those of `checkout`, by default of this repository.
 */
export async function startYardarm(
  counts: Partial<Record<ServiceName, number>> = {},
  settings: (service: ServiceName, number: number) => Record<string, string> = () => ({}),
  checkout?: string,
): Promise<Yardarm> {
  return startYardarmOn(await startCrashingServers(), counts, settings, checkout);
}

/** The same on other servers, which it stops at the end. */
export async function startYardarmOn<Servers extends YardarmServers>(
  servers: Servers,
  counts: Partial<Record<ServiceName, number>> = {},
  settings: (service: ServiceName, number: number) => Record<string, string> = () => ({}),
  checkout?: string,
): Promise<Yardarm<Servers>> {
  if (checkout === undefined) await createTemplate(servers.postgresUrl);
  const database = await createTestDatabase(servers.postgresUrl, checkout === undefined ? undefined : 'template1');
  if (checkout !== undefined) await migrateBy(checkout, database);
  const secret = randomBytes(16).toString('hex');
  const adminToken = `*:*.admin${secret}`;

  const { withHosts = (url: string) => url } = servers;
  const environmentOf = (service: ServiceName): Record<string, string> => ({
    NODE_OPTIONS: nodeOptions(),
    NATS_URL: servers.natsUrlOf(service),
    INIT_ADMIN_API_TOKENS: adminToken,
    // The pairs prevent three equal characters in a row, which the password rules refuse.
    UNLEASH_DEFAULT_ADMIN_PASSWORD: `Aa1-${secret.replaceAll(/../g, '$&-')}`,
    // The receiver listens on loopback.
    INTEGRATIONS_ALLOWED_PRIVATE: '127.0.0.1',
    INTEGRATIONS_ENCRYPTION_KEY: Buffer.from(secret).toString('base64'),
    ...(service === 'gateway'
      ? { HOST: '127.0.0.1', REQUEST_TIMEOUT_MS: String(requestTimeoutMs) }
      : { DATABASE_URL: withHosts(database.urlFor(service)), DATABASE_MAX_CONNECTIONS: '5' }),
  });
  const countOf = (service: ServiceName) => counts[service] ?? replicaCounts[service];
  const replicas = (Object.keys(replicaCounts) as ServiceName[]).flatMap((service) =>
    Array.from(
      { length: countOf(service) },
      (_, index) =>
        new Replica({
          ...{ service, number: index + 1, folder: servers.folder, checkout },
          environment: { ...environmentOf(service), ...settings(service, index + 1) },
        }),
    ),
  );

  const gateway = replicas.find(({ service }) => service === 'gateway')!;
  const url = () => `http://127.0.0.1:${gateway.port}`;

  async function untilReady(): Promise<void> {
    await eventually(async () => {
      for (const replica of replicas) if (!(await replica.isReady())) throw new Error(`${replica.name} is not ready`);
    }, readyLimitMs);
  }

  async function callOnce(method: string, path: string, body: unknown): Promise<unknown> {
    const answer = await fetch(url() + path, {
      method,
      headers: { authorization: adminToken, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** Retries reads, since a machine after all these crashes may answer late. */
  const call = (method: string, path: string, body?: unknown) =>
    method === 'GET' ? eventually(() => callOnce(method, path, body), readyLimitMs) : callOnce(method, path, body);

  await Promise.all(replicas.map((replica) => replica.start()));
  await untilReady();
  return {
    url,
    adminToken,
    servers,
    database,
    replicas,
    replicasOf: (service) => replicas.filter((replica) => replica.service === service),
    call,
    untilReady,
    async stop() {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await servers.stop();
    },
  };
}
