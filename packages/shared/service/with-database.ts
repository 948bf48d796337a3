import { type Bus, connectBus as connectToNats, type StreamOwner } from '../bus/index.ts';
import { loginsOf } from '../config/index.ts';
import type { ServiceName } from '../contracts/contract.ts';
import { createDatabase, type Database, findSystemId, type MigrationSet, type SharedTables } from '../db/index.ts';
import type { Logger } from '../log/index.ts';
import { awaitSchema, databaseProblem } from './await-schema.ts';
import { followSettings, type Settings } from './follow-settings.ts';
import type { PartHealth } from './health.ts';
import { busProblem, type NatsConfig, natsOptions } from './nats-options.ts';
import type { Starting } from './run-service.ts';

/** The settings that a service with tables needs here. */
export interface DatabaseServiceConfig extends NatsConfig {
  DATABASE_URL: string;
  DATABASE_URL_FILE?: string;
  DATABASE_MAX_CONNECTIONS: number;
}

/** What the process gives a service that starts; and the bus, which a test replaces by one that kills the process. */
export interface Overrides extends Partial<Starting> {
  connectBus?: typeof connectToNats;
}

export interface DatabaseResources<Tables> {
  db: Database<Tables & SharedTables>;
  bus: Bus;
  /** Followed until `settings.stop()`. A request that writes is refused in maintenance mode. */
  settings: Settings;
  health(): Promise<Record<'database' | 'bus', PartHealth> & { streams?: PartHealth }>;
}

/**
 * Opens the database and the bus of a service. It waits without a limit, first for Postgres with a schema that has the
 * migrations of the set, then for NATS. So a service serves and writes nothing before. Throws ConfigError when the
 * schema is too new, or when NATS belongs to another system than the database. This module is separate because the
 * gateway has no database and should not load a driver.
 */
export async function openResources<Tables>(
  set: MigrationSet,
  config: DatabaseServiceConfig,
  log: Logger,
  { connectBus = connectToNats, onWaiting }: Overrides,
): Promise<DatabaseResources<Tables>> {
  const { service } = set;
  const ofNats = natsOptions(config, service, log);
  const db = createDatabase<Tables>({
    url: config.DATABASE_URL,
    logins: loginsOf(config.DATABASE_URL, config.DATABASE_URL_FILE, URL.canParse),
    schema: service,
    log,
    maxConnections: config.DATABASE_MAX_CONNECTIONS,
  });
  const system = systemOf(service, db);
  let settings: Settings | undefined;
  const opening = async () => {
    await awaitSchema(db, set, log, onWaiting);
    return connectBus({
      ...ofNats,
      system,
      admit: (contract) => settings?.requireWritable(contract),
      onWaiting: (problem) => onWaiting?.({ bus: `not connected to NATS: ${problem}` }),
    });
  };
  const bus = await opening().catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  settings = followSettings(bus, log);
  // A service that starts in maintenance mode writes nothing before it knows.
  await settings.asked;
  return {
    db,
    bus,
    settings,
    async health() {
      const database = await db.ping().then(() => null, databaseProblem);
      const streams = bus.streamProblem();
      // The service answers requests, and what it publishes waits in its outbox.
      return { database, bus: busProblem(bus), ...(streams !== null && { streams: { degraded: streams } }) };
    },
  };
}

/** How a service checks that its NATS belongs to the system of its database. */
export function systemOf<Tables>(service: ServiceName, db: Pick<Database<Tables>, 'kysely'>): StreamOwner {
  let id: string | undefined;
  return {
    id: async () => (id ??= await findSystemId(db.kysely)),
    writesId: service === 'events',
    // As an uncaught error: it ends the process.
    onRefused: (error) =>
      queueMicrotask(() => {
        throw error;
      }),
  };
}
