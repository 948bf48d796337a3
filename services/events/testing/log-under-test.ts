// The rig of this service's integration tests: a log with its own database and streams, and functions that publish
// events, read the log and its streams, and wipe a stream.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import type { StreamName } from '@yardarm/shared/contracts';
import { eventSubject, type PublishedEvent } from '@yardarm/shared/contracts/events';
import { createDatabase, type Database } from '@yardarm/shared/db';
import { createLogger, type Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { systemOf } from '@yardarm/shared/service/with-database';
import { compileCache, type TestDatabase } from '@yardarm/testing';
import { publishedEvent } from '@yardarm/testing/events';
import { removeStream } from '@yardarm/testing/streams';
import { inject } from 'vitest';
import { loadEventsConfig } from '../config.ts';
import type { EventsTables } from '../db/schema.ts';
import { startEvents } from '../service.ts';

export function someEvents(
  count: number,
  changes: (n: number) => Partial<PublishedEvent> = () => ({}),
): PublishedEvent[] {
  return Array.from({ length: count }, (_, n) => publishedEvent(changes(n)));
}

export class LogUnderTest {
  readonly bus: Bus;
  /** Connected with the service's login. */
  readonly db: Database<EventsTables>;
  readonly environment: Record<string, string>;
  readonly log: Logger;
  readonly #running: RunningService[] = [];
  readonly #children: ChildProcess[] = [];

  private constructor(bus: Bus, db: Database<EventsTables>, environment: Record<string, string>, log: Logger) {
    this.bus = bus;
    this.db = db;
    this.environment = environment;
    this.log = log;
  }

  /** The caller drops the database after it has closed the log. */
  static async open(database: TestDatabase, prefix = `t${randomBytes(6).toString('hex')}`): Promise<LogUnderTest> {
    const [natsUrl, databaseUrl] = [inject('natsUrl'), database.urlFor('events')];
    const log = createLogger({ service: 'events', level: 'fatal' });
    const db = createDatabase<EventsTables>({ url: databaseUrl, schema: 'events', log, maxConnections: 25 });
    const system = systemOf('events', db);
    const bus = await connectBus({ url: natsUrl, name: 'test', prefix, log, system });
    await bus.ensureStreams(['EVENTS']);
    const environment = {
      NATS_URL: natsUrl,
      DATABASE_URL: databaseUrl,
      YARDARM_PREFIX: prefix,
      DATABASE_MAX_CONNECTIONS: '4',
      LOG_LEVEL: 'fatal',
      ...compileCache,
    };
    return new LogUnderTest(bus, db, environment, log);
  }

  async start(overrides: Parameters<typeof startEvents>[2] = {}): Promise<RunningService> {
    const service = await startEvents(loadEventsConfig(this.environment), this.log, overrides);
    this.#running.push(service);
    return service;
  }

  /** Starts a replica as a child process from a file of this service. */
  startProcess(file: string, environment: Record<string, string> = {}): ChildProcess {
    const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
    const child = spawn(process.execPath, [path], {
      env: { ...this.environment, ...environment },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    this.#children.push(child);
    return child;
  }

  /** Publishes as an outbox relay does. Another message id hides a duplicate from the stream. */
  async publish(events: readonly PublishedEvent[], msgIdOf = (event: PublishedEvent) => event.eventId): Promise<void> {
    for (const event of events) {
      await this.bus.publish(eventSubject(event), event, { msgId: msgIdOf(event) });
    }
  }

  entries(): Promise<{ id: number; event_id: string }[]> {
    return this.db.kysely.selectFrom('events').select(['id', 'event_id']).orderBy('id').execute();
  }

  /** The payloads of a stream, in its order. */
  async messagesOf(stream: StreamName): Promise<unknown[]> {
    const payloads: unknown[] = [];
    const from = async () => ({ incarnation: null, lastSequence: 0 });
    const reading = this.bus.read({ stream, from, maxBatch: 500 }, async ({ messages }) => {
      payloads.push(...messages.map(({ payload }) => payload));
    });
    await reading.processAll();
    await reading.stop();
    return payloads;
  }

  /** Deletes and recreates a stream, as after the loss of its disk. */
  async wipe(stream: StreamName): Promise<void> {
    await removeStream(this.environment.NATS_URL!, `${this.environment.YARDARM_PREFIX}_${stream}`);
    await this.bus.ensureStreams([stream]);
  }

  async stop(service: RunningService): Promise<void> {
    const index = this.#running.indexOf(service);
    if (index >= 0) this.#running.splice(index, 1);
    await service.drain();
    await service.stop();
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
