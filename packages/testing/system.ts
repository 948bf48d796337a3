import { randomBytes } from 'node:crypto';
import { loadAccountsConfig } from '@yardarm/accounts/config';
import { startAccounts } from '@yardarm/accounts/service';
import { loadEventsConfig } from '@yardarm/events/config';
import { startEvents } from '@yardarm/events/service';
import { loadFlagsConfig } from '@yardarm/flags/config';
import { startFlags } from '@yardarm/flags/service';
import { loadGatewayConfig } from '@yardarm/gateway/config';
import { type RunningGateway, startGateway } from '@yardarm/gateway/service';
import { loadIntegrationsConfig } from '@yardarm/integrations/config';
import { startIntegrations } from '@yardarm/integrations/service';
import type { ServiceName, StreamName } from '@yardarm/shared/contracts';
import { createLogger, type Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { loadSignalsConfig } from '@yardarm/signals/config';
import { startSignals } from '@yardarm/signals/service';
import { createTestDatabase, type TestDatabase } from './databases.ts';
import { eventually } from './eventually.ts';
import { startNatsWithUsers } from './nats.ts';
import { readWholeStream, type StoredMessage } from './streams.ts';

/** All services in this process, with their own database, NATS and prefix. */
export interface TestSystem {
  url: string;
  adminToken: string;
  /** The password of the first admin, `admin`. */
  adminPassword: string;
  /** SDK tokens of the two initial environments, for every project. */
  clientTokens: { development: string; production: string };
  database: TestDatabase;
  prefix: string;
  /** Of its NATS, with a user that may do everything. */
  natsUrl: string;
  /** With the user of the service. */
  natsUrlOf(service: ServiceName): string;
  services: Record<ServiceName, RunningService>;
  /** Calls the public API. A body is sent as JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<CallResult>;
  /** Waits until every change so far is in the log, delivered, stored, and in the gateway's snapshot. */
  processAll(): Promise<void>;
  messages(stream: StreamName): Promise<StoredMessage[]>;
  /**
   * Starts another gateway and returns its URL. It stops with the system. `connectBus` replaces its connection,
   * `settings` overrides its settings. It is ready within `readyWithinMs`, by default the limit of `eventually`.
   */
  addGateway(
    options?: Parameters<typeof startGateway>[2],
    settings?: Record<string, string>,
    readyWithinMs?: number,
  ): Promise<string>;
  /** Drains and stops one service, as a deployment does. */
  stopService(name: ServiceName): Promise<void>;
  startService(name: Exclude<ServiceName, 'gateway'>): Promise<void>;
  stop(): Promise<void>;
}

export interface CallOptions {
  /** The URL of the gateway; default: the first. */
  url?: string;
  /** Null sends no token; default: the admin token. */
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface CallResult {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read properties of answers and compare them.
  body: any;
}

/** Starts all six services. `environment` overrides their settings. Without `log`, only errors are logged. */
export async function startSystem(
  environment: Record<string, string> = {},
  log: Logger = createLogger({ service: 'system', level: 'error' }),
): Promise<TestSystem> {
  const database = await createTestDatabase();
  const prefix = `t${randomBytes(6).toString('hex')}`;
  const nats = await startNatsWithUsers(prefix);
  const secret = randomBytes(16).toString('hex');
  const adminToken = `*:*.admin${secret}`;
  // The pairs prevent three equal characters in a row, which the password rules refuse.
  const adminPassword = `Aa1-${secret.replaceAll(/../g, '$&-')}`;
  const clientTokens = { development: `*:development.sdk${secret}`, production: `*:production.sdk${secret}` };
  const encryptionKey = randomBytes(32).toString('base64');
  const settingsOf = (service: ServiceName): Record<string, string> => ({
    NATS_URL: nats.serviceUrls[service],
    YARDARM_PREFIX: prefix,
    HOST: '127.0.0.1',
    PORT: '0',
    // Tests receive webhooks on loopback.
    INTEGRATIONS_ALLOWED_PRIVATE: '127.0.0.1',
    INTEGRATIONS_ENCRYPTION_KEY: encryptionKey,
    ACCOUNTS_ENCRYPTION_KEY: encryptionKey,
    INIT_ADMIN_API_TOKENS: adminToken,
    UNLEASH_DEFAULT_ADMIN_PASSWORD: adminPassword,
    INIT_CLIENT_API_TOKENS: Object.values(clientTokens).join(','),
    ...(service === 'gateway' ? {} : { DATABASE_URL: database.urlFor(service), DATABASE_MAX_CONNECTIONS: '5' }),
    ...environment,
  });
  const starters = {
    accounts: () => startAccounts(loadAccountsConfig(settingsOf('accounts')), log),
    flags: () => startFlags(loadFlagsConfig(settingsOf('flags')), log),
    events: () => startEvents(loadEventsConfig(settingsOf('events')), log),
    integrations: () => startIntegrations(loadIntegrationsConfig(settingsOf('integrations')), log),
    signals: () => startSignals(loadSignalsConfig(settingsOf('signals')), log),
  };
  const [accounts, flags, events, integrations, signals] = await Promise.all([
    starters.accounts(),
    starters.flags(),
    starters.events(),
    starters.integrations(),
    starters.signals(),
  ]);
  // No load balancer checks these gateways, so their connections need no notice of the end.
  const intervals = { drainNoticeMs: 0 };
  const gateway = await startGateway(loadGatewayConfig(settingsOf('gateway')), log, { intervals });
  const services: TestSystem['services'] = { accounts, flags, events, integrations, signals, gateway };
  const url = `http://127.0.0.1:${gateway.port}`;
  const stopped = new Set<ServiceName>();
  const added: RunningGateway[] = [];

  await eventually(async () => {
    for (const [name, service] of Object.entries(services)) {
      const problems = Object.entries(await service.health()).filter(([, problem]) => problem !== null);
      if (problems.length > 0) throw new Error(`${name} is not ready: ${JSON.stringify(problems)}`);
    }
  });

  async function stopService(name: ServiceName): Promise<void> {
    if (stopped.has(name)) return;
    stopped.add(name);
    await services[name].drain();
    await services[name].stop();
  }

  return {
    url,
    adminToken,
    adminPassword,
    clientTokens,
    database,
    prefix,
    natsUrl: nats.url,
    natsUrlOf: (service) => nats.serviceUrls[service],
    services,
    async call(method, path, { url: base = url, token = adminToken, body, headers = {} } = {}) {
      const response = await fetch(base + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(token === null ? {} : { authorization: token }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '') && text !== '';
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
    },
    async processAll() {
      // In the order of the flow: usage that the gateway keeps, outboxes, log, deliveries. Again for events that
      // deliveries emit (a disabled integration).
      await gateway.processAll();
      for (const round of [1, 2]) {
        const withOutbox = [services.flags, services.accounts, services.signals, services.integrations];
        await Promise.all(withOutbox.map((service) => service.processAll()));
        await services.events.processAll();
        if (round === 1) await services.integrations.processAll();
      }
      await services.integrations.processAll();
      await gateway.processAll();
    },
    messages: (stream) => readWholeStream(nats.url, `${prefix}_${stream}`),
    async addGateway(options, settings, readyWithinMs) {
      const config = loadGatewayConfig({ ...settingsOf('gateway'), ...settings });
      const another = await startGateway(config, log, { intervals, ...options });
      added.push(another);
      await eventually(async () => {
        const problems = Object.values(await another.health()).filter((problem) => problem !== null);
        if (problems.length > 0) throw new Error(`the gateway is not ready: ${JSON.stringify(problems)}`);
      }, readyWithinMs);
      return `http://127.0.0.1:${another.port}`;
    },
    stopService,
    async startService(name) {
      services[name] = await starters[name]();
      stopped.delete(name);
    },
    async stop() {
      for (const another of added) {
        await another.drain();
        await another.stop();
      }
      await stopService('gateway');
      await Promise.all((['flags', 'signals', 'accounts', 'integrations', 'events'] as const).map(stopService));
      await nats.stop();
      await database.drop();
    },
  };
}
