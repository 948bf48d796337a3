import { randomBytes } from 'node:crypto';
import { type Bus, type BusMessage, connectBus, type RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import { removeAccessOfDeleted, resolveActor } from '@yardarm/shared/contracts/accounts';
import type { PublishedEvent } from '@yardarm/shared/contracts/events';
import type { Incarnation } from '@yardarm/shared/contracts/flags';
import { createDatabase, type Database } from '@yardarm/shared/db';
import { createLogger, type Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { compileCache, createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { type Caller, callerOn, contextOf as contextOfCaller } from '@yardarm/testing/callers';
import { inject } from 'vitest';
import { loadFlagsConfig } from '../config.ts';
import type { FlagsTables } from '../db/schema.ts';
import { startFlags } from '../service.ts';

export { admin } from '@yardarm/testing/callers';

/** Imports and exports of thousands of flags take seconds, on a busy machine several. */
const timeoutMs = 20_000;

/** A caller on the bus that also reads the service's tables and the stream. */
export interface FlagsObserver extends Caller {
  bus: Bus;
  db: Database<FlagsTables>;
  log: Logger;
  environment: Record<string, string>;
  /** The events of a flag, or of all flags, in the order in which they were appended. */
  events(featureName?: string): Promise<PublishedEvent[]>;
  /** The ids of events that are not marked as published. */
  unmarked(): Promise<string[]>;
  published(): Promise<BusMessage[]>;
  /**
   * The stand-in for accounts: the incarnations to which it has removed the access, what it does before, the service
   * accounts by id, and what it does before it answers with one.
   */
  accounts: {
    removed: Incarnation[];
    beforeRemoval(): Promise<void>;
    actors: Map<number, Actor>;
    beforeAnswer(): Promise<void>;
  };
  close(): Promise<void>;
}

export interface FlagsRig extends FlagsObserver {
  /** A test that stops it may put another in its place, which the rig then stops. */
  service: RunningService;
  stop(): Promise<void>;
}

export function flagsEnvironment(databaseUrl: string, natsUrl: string): Record<string, string> {
  return {
    NATS_URL: natsUrl,
    DATABASE_URL: databaseUrl,
    DATABASE_MAX_CONNECTIONS: '10',
    YARDARM_PREFIX: `t${randomBytes(6).toString('hex')}`,
    LOG_LEVEL: 'error',
    ...compileCache,
  };
}

export async function observeFlags(environment: Record<string, string>): Promise<FlagsObserver> {
  const config = loadFlagsConfig(environment);
  const log = createLogger({ service: 'flags-test', level: 'error' });
  const bus = await connectBus({ url: config.NATS_URL, name: 'flags-test', prefix: config.YARDARM_PREFIX, log });
  const db = createDatabase<FlagsTables>({ url: config.DATABASE_URL, schema: 'flags', log, maxConnections: 2 });
  const accounts: FlagsObserver['accounts'] = {
    ...{ removed: [], beforeRemoval: async () => {} },
    ...{ actors: new Map(), beforeAnswer: async () => {} },
  };
  bus.serve(removeAccessOfDeleted, async (incarnation) => {
    await accounts.beforeRemoval();
    accounts.removed.push(incarnation);
    return {};
  });
  bus.serve(resolveActor, async ({ serviceAccountId }) => {
    await accounts.beforeAnswer();
    return { actor: accounts.actors.get(serviceAccountId) ?? null };
  });
  await bus.flush();
  return {
    ...callerOn(bus, timeoutMs),
    bus,
    db,
    log,
    environment,
    accounts,
    async events(featureName) {
      const rows = await db.kysely.selectFrom('outbox').select('payload').orderBy('id').execute();
      const events = rows.map(({ payload }) => JSON.parse(payload) as PublishedEvent);
      return featureName === undefined ? events : events.filter((event) => event.featureName === featureName);
    },
    async unmarked() {
      const rows = await db.kysely.selectFrom('outbox').select('event_id').where('published_at', 'is', null).execute();
      return rows.map(({ event_id }) => event_id);
    },
    published: () => published(bus),
    async close() {
      await bus.drain();
      await db.close();
    },
  };
}

export async function startFlagsRig(environment: Record<string, string>): Promise<FlagsRig> {
  const observer = await observeFlags(environment);
  const service = await startFlags(loadFlagsConfig(environment), observer.log);
  const rig: FlagsRig = {
    ...observer,
    service,
    async stop() {
      await rig.service.drain();
      await rig.service.stop();
      await observer.close();
    },
  };
  return rig;
}

/** A rig on a database of its own, which is dropped when the rig stops. */
export interface OwnFlagsRig extends FlagsRig {
  database: TestDatabase;
}

/**
 * Its stop throws if Postgres has counted a deadlock. A deadlock fails no request: the transaction helper runs the
 * transaction again.
 */
export async function startOwnFlagsRig(settings: Record<string, string> = {}): Promise<OwnFlagsRig> {
  const database = await createTestDatabase();
  try {
    const environment = flagsEnvironment(database.urlFor('flags'), inject('natsUrl'));
    const rig = await startFlagsRig({ ...environment, ...settings });
    const { stop } = rig;
    return Object.assign(rig, {
      database,
      async stop() {
        try {
          await stop();
          const deadlocks = await database.countDeadlocks();
          if (deadlocks > 0) throw new Error(`Postgres counted ${deadlocks} deadlocks.`);
        } finally {
          await database.drop();
        }
      },
    });
  } catch (error) {
    await database.drop();
    throw error;
  }
}

export const contextOf = (actor: Actor | null): RequestContext => contextOfCaller(actor, timeoutMs);

async function published(bus: Bus): Promise<BusMessage[]> {
  const messages: BusMessage[] = [];
  const from = async () => ({ incarnation: null, lastSequence: 0 });
  const reading = bus.read({ stream: 'EVENTS', from, maxBatch: 500 }, async (batch) => {
    messages.push(...batch.messages);
  });
  await reading.processAll();
  await reading.stop();
  return messages;
}
