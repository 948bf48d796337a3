import { type Bus, connectBus as connectToNats, type StreamOwner } from '../bus/index.ts';
import type { ServiceName } from '../contracts/contract.ts';
import { createDatabase, type Database, findSystemId, isRefusedLogin, type SharedTables } from '../db/index.ts';
import type { Logger } from '../log/index.ts';

/** The settings that a service with tables needs here, from `commonSettings` and `databaseSettings`. */
export interface DatabaseServiceConfig {
  NATS_URL: string;
  YARDARM_PREFIX: string;
  DATABASE_URL: string;
  DATABASE_MAX_CONNECTIONS: number;
}

/** What a test may replace: the bus, by one that kills the process when it publishes. */
export interface Overrides {
  connectBus?: typeof connectToNats;
}

export interface DatabaseResources<Tables> {
  db: Database<Tables & SharedTables>;
  bus: Bus;
  health(): Promise<{ database: string | null; bus: string | null }>;
}

/**
 * Opens the database and the bus of a service. It waits for NATS without a limit, and not for Postgres: until Postgres
 * is available, each query fails. Throws ConfigError when NATS belongs to another system than the database. This module
 * is separate because the gateway has no database and should not load a driver.
 */
export async function openResources<Tables>(
  service: ServiceName,
  config: DatabaseServiceConfig,
  log: Logger,
  { connectBus = connectToNats }: Overrides,
): Promise<DatabaseResources<Tables>> {
  const db = createDatabase<Tables>({
    url: config.DATABASE_URL,
    schema: service,
    log,
    maxConnections: config.DATABASE_MAX_CONNECTIONS,
  });
  const system = systemOf(service, db);
  const natsOptions = { url: config.NATS_URL, name: service, prefix: config.YARDARM_PREFIX, log, system };
  const bus = await connectBus(natsOptions).catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  return {
    db,
    bus,
    async health() {
      const database = await db.ping().then(
        () => null,
        (error: unknown) =>
          isRefusedLogin(error) ? 'Postgres refuses the login of this service' : 'Postgres does not answer',
      );
      return { database, bus: bus.state().connected ? null : 'not connected to NATS' };
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
