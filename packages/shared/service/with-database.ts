import { type Bus, connectBus as connectToNats } from '../bus/index.ts';
import type { ServiceName } from '../contracts/contract.ts';
import { createDatabase, type Database, type SharedTables } from '../db/index.ts';
import type { Logger } from '../log/index.ts';

/** What the settings of every service with tables hold (`commonSettings` and `databaseSettings`). */
export interface DatabaseServiceConfig {
  NATS_URL: string;
  YARDARM_PREFIX: string;
  DATABASE_URL: string;
  DATABASE_MAX_CONNECTIONS: number;
}

/** What a test may put in the place of the real thing: a bus whose publishing kills the process, to prove that nothing is lost. */
export interface Overrides {
  connectBus?: typeof connectToNats;
}

/** What every service with tables stands on. */
export interface Dataset<Tables> {
  db: Database<Tables & SharedTables>;
  bus: Bus;
  /** The parts of the service's health that these two are. */
  health(): Promise<{ database: string | null; bus: string | null }>;
}

/**
 * Opens the database and the bus of a service. Waits for NATS however long it is away; Postgres may come later, whatever needs it
 * says so meanwhile. Apart from the rest of service/, since the gateway has no database and loads no driver of one.
 */
export async function openResources<Tables>(
  service: ServiceName,
  config: DatabaseServiceConfig,
  log: Logger,
  { connectBus = connectToNats }: Overrides,
): Promise<Dataset<Tables>> {
  const db = createDatabase<Tables>({
    url: config.DATABASE_URL,
    schema: service,
    log,
    maxConnections: config.DATABASE_MAX_CONNECTIONS,
  });
  const bus = await connectBus({ url: config.NATS_URL, name: service, prefix: config.YARDARM_PREFIX, log });
  return {
    db,
    bus,
    async health() {
      const database = await db.ping().then(
        () => null,
        () => 'Postgres does not answer',
      );
      return { database, bus: bus.state().connected ? null : 'not connected to NATS' };
    },
  };
}
