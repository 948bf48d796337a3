// The rig of this service's integration tests: a database, streams and a log of its own, and ways to let time pass.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import { eventSchema, type PublishedEvent, readAfter, readHead, recordedHint } from '@yardarm/shared/contracts/events';
import { ensureTagTypes, findMissingProjectsAndEnvironments } from '@yardarm/shared/contracts/flags';
import * as contracts from '@yardarm/shared/contracts/integrations';
import { createDatabase, type Database, sql } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { systemOf } from '@yardarm/shared/service/with-database';
import { compileCache } from '@yardarm/testing';
import { admin, contextOf } from '@yardarm/testing/callers';
import { publishedEvent } from '@yardarm/testing/events';
import { loadIntegrationsConfig } from '../config.ts';
import type { IntegrationsTables } from '../db/schema.ts';
import { startIntegrations } from '../service.ts';

export { admin } from '@yardarm/testing/callers';

/** The encryption key of the rig, unless a test gives another. */
export const encryptionKey = Buffer.alloc(32, 1).toString('base64');

/** An event of the log. */
export type RecordedEvent = PublishedEvent & { id: number };

type NewIntegration = Parameters<IntegrationsRig['create']>[0];

export class IntegrationsRig {
  readonly bus: Bus;
  readonly db: Database<IntegrationsTables>;
  readonly logged: string[] = [];
  head = 0;
  /** The projects and environments that flags has. */
  readonly places = {
    projects: new Set(['default', 'elsewhere']),
    environments: new Set(['development', 'production']),
  };
  /** The tag types that flags was asked for. */
  readonly tagTypes: string[] = [];
  /** While true, flags makes no tag types. */
  isFlagsAway = false;
  /** While false, events sends no hints. */
  hasHints = true;
  /** While true, events does not answer. */
  isUnavailable = false;
  readonly recorded: RecordedEvent[] = [];
  readonly #environment: Record<string, string>;
  readonly #running = new Set<RunningService>();
  readonly #children: ChildProcess[] = [];

  private constructor(bus: Bus, db: Database<IntegrationsTables>, environment: Record<string, string>) {
    this.bus = bus;
    this.db = db;
    this.#environment = environment;
  }

  static async open(options: { natsUrl: string; databaseUrl: string; prefix: string }): Promise<IntegrationsRig> {
    const log = createLogger({ service: 'test', level: 'fatal' });
    const db = createDatabase<IntegrationsTables>({ url: options.databaseUrl, schema: 'integrations', log });
    const system = systemOf('events', db);
    const bus = await connectBus({ url: options.natsUrl, name: 'test', prefix: options.prefix, log, system });
    await bus.ensureStreams(['EVENTS']);
    const rig = new IntegrationsRig(bus, db, {
      NATS_URL: options.natsUrl,
      DATABASE_URL: options.databaseUrl,
      YARDARM_PREFIX: options.prefix,
      DATABASE_MAX_CONNECTIONS: '5',
      INTEGRATIONS_ALLOWED_PRIVATE: '127.0.0.1',
      INTEGRATIONS_ENCRYPTION_KEY: encryptionKey,
    });
    bus.serve(findMissingProjectsAndEnvironments, async ({ projects, environments }) => ({
      projects: projects.filter((id) => !rig.places.projects.has(id)),
      environments: environments.filter((name) => !rig.places.environments.has(name)),
      found: [],
    }));
    bus.serve(ensureTagTypes, async ({ tagTypes }) => {
      if (rig.isFlagsAway) throw new AppError('unavailable', 'Flags is unavailable.');
      rig.tagTypes.push(...tagTypes.map(({ name }) => name));
    });
    bus.serve(readHead, async () => {
      rig.#assertAvailable();
      return { id: rig.head };
    });
    bus.serve(readAfter, async ({ after, upTo = rig.head }) => {
      rig.#assertAvailable();
      // At most half of the range, so that no caller can rely on one answer.
      const through = Math.max(after, Math.min(upTo, after + Math.max(1, Math.ceil((upTo - after) / 2))));
      const read = rig.recorded.filter(({ id }) => id > after && id <= through);
      const events = read.map((event) => eventSchema.parse(event));
      return { events, traceparents: read.map(({ traceparent }) => traceparent), after, through, head: rig.head };
    });
    return rig;
  }

  #assertAvailable(): void {
    if (this.isUnavailable) throw new AppError('unavailable', 'The log is unavailable.');
  }

  async start(environment: Record<string, string> = {}): Promise<RunningService> {
    const destination = { write: (line: string) => void this.logged.push(line) };
    const log = createLogger({ service: 'integrations', level: 'trace', destination });
    const service = await startIntegrations(loadIntegrationsConfig({ ...this.#environment, ...environment }), log);
    this.#running.add(service);
    return service;
  }

  async list(): Promise<{ addons: contracts.Integration[]; providers: contracts.Provider[] }> {
    return await this.bus.request(contracts.listIntegrations, {}, context());
  }

  async stop(service: RunningService): Promise<void> {
    this.#running.delete(service);
    await service.drain();
    await service.stop();
  }

  startProcess(): ChildProcess {
    const child = spawn(process.execPath, [fileURLToPath(new URL('../main.ts', import.meta.url))], {
      env: { ...compileCache, ...this.#environment, LOG_LEVEL: 'error' },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    this.#children.push(child);
    return child;
  }

  /** Records events like the events service, with the next public ids. */
  async record(...changes: Partial<PublishedEvent>[]): Promise<RecordedEvent[]> {
    const events = changes.map((change, n) => someEvent(this.head + 1 + n, change));
    this.head = events.at(-1)!.id;
    this.recorded.push(...events);
    if (this.hasHints) this.bus.hint(recordedHint, { id: this.head });
    return events;
  }

  create(over: {
    url: string;
    provider?: string;
    enabled?: boolean;
    description?: string | null;
    parameters?: Record<string, string>;
    events?: string[];
    projects?: string[] | null;
    environments?: string[] | null;
    by?: Actor;
  }) {
    const { url, parameters, by, ...rest } = over;
    const input = { provider: 'webhook', enabled: true, events: ['*'], ...rest, parameters: { url, ...parameters } };
    return this.bus.request(contracts.createIntegration, input, context(by));
  }

  /** Creates an integration of another provider than webhook, for all events. */
  createOf(provider: string, parameters: Record<string, string>) {
    const input = { provider, enabled: true, events: ['*'], parameters };
    return this.bus.request(contracts.createIntegration, input, context());
  }

  update(id: number, { by, ...over }: Partial<Omit<NewIntegration, 'url'>>) {
    const input = { provider: 'webhook', enabled: true, events: ['*'], parameters: { url: '*****' }, ...over, id };
    return this.bus.request(contracts.updateIntegration, input, context(by));
  }

  /** The outcomes of each frame in which they are sent. */
  async frames(integrationId: number): Promise<contracts.IntegrationEvent[][]> {
    const input = { integrationId, limit: 1_000, offset: 0 };
    const frames = this.bus.requestItems(contracts.listIntegrationEvents, input, context());
    return Array.fromAsync(frames, (items) => JSON.parse(`[${Buffer.from(items).toString()}]`));
  }

  async outcomes(integrationId: number, { limit = 1_000, offset = 0 } = {}): Promise<contracts.IntegrationEvent[]> {
    const input = { integrationId, limit, offset };
    return (await this.bus.request(contracts.listIntegrationEvents, input, context())).integrationEvents;
  }

  async events(): Promise<PublishedEvent[]> {
    const rows = await this.db.kysely.selectFrom('outbox').select('payload').orderBy('id').execute();
    return rows.map(({ payload }) => JSON.parse(payload));
  }

  /** Makes all waiting deliveries due. */
  async passRetryTime(): Promise<void> {
    await sql`update deliveries set next_attempt_at = now() where state = 'waiting'`.execute(this.db.kysely);
    await this.passPause();
  }

  /** Ends the pauses of all endpoints. */
  async passPause(): Promise<void> {
    await sql`update integrations set paused_until = now() where paused_until is not null`.execute(this.db.kysely);
  }

  async passClaimTime(): Promise<void> {
    await sql`update deliveries set claimed_until = now() where state = 'sending'`.execute(this.db.kysely);
  }

  async close(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await Promise.all([...this.#running].map((service) => this.stop(service)));
    await this.bus.drain();
    await this.db.close();
  }
}

export const context = (actor: Actor | null = admin): RequestContext => contextOf(actor);

export function someEvent(id: number, changes: Partial<PublishedEvent> = {}): RecordedEvent {
  return { id, ...publishedEvent(changes) };
}
