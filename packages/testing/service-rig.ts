import { randomBytes } from 'node:crypto';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import type { ServiceName } from '@yardarm/shared/contracts';
import type { PublishedEvent } from '@yardarm/shared/contracts/events';
import { createLogger, type Logger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import pg from 'pg';
import { inject } from 'vitest';
import { type Caller, callerOn } from './callers.ts';
import { createTestDatabase, type TestDatabase } from './databases.ts';

/** A running service with its own database and prefix, a bus client, and access to its tables and log. */
export interface ServiceRig<Overrides> extends Caller {
  bus: Bus;
  database: TestDatabase;
  prefix: string;
  service: RunningService;
  /** Every line that the service and its replicas have logged, at trace level. */
  logged: string[];
  /** Another replica of the service, or one with other settings. The test stops it. */
  start(settings?: Record<string, string>, overrides?: Overrides): Promise<RunningService>;
  /** Runs a statement as the owner of the tables. */
  rows<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** The events of these types, or of all, in the outbox, oldest first. */
  events(...types: string[]): Promise<PublishedEvent[]>;
  stop(): Promise<void>;
}

export interface ServiceRigOptions<Overrides> {
  name: Exclude<ServiceName, 'gateway'>;
  start(settings: Record<string, string>, log: Logger, overrides?: Overrides): Promise<RunningService>;
  /** Of all replicas. */
  settings?: Record<string, string>;
  /** Serves stand-ins for other services and listens to hints, before the service starts. */
  prepare?(bus: Bus): void;
}

export async function startServiceRig<Overrides>(
  options: ServiceRigOptions<Overrides>,
): Promise<ServiceRig<Overrides>> {
  const { name } = options;
  const database = await createTestDatabase();
  const prefix = `t${randomBytes(6).toString('hex')}`;
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  const errorLog = createLogger({ service: 'test', level: 'error' });
  const bus = await connectBus({ url: inject('natsUrl'), name: 'test', prefix, log: errorLog });
  options.prepare?.(bus);
  await bus.flush();
  const logged: string[] = [];
  const log = createLogger({
    ...{ service: name, level: 'trace' },
    destination: { write: (line: string) => void logged.push(line) },
  });
  const start: ServiceRig<Overrides>['start'] = (settings = {}, overrides) => {
    const common = { NATS_URL: inject('natsUrl'), DATABASE_URL: database.urlFor(name), YARDARM_PREFIX: prefix };
    return options.start({ ...common, ...options.settings, ...settings }, log, overrides);
  };
  const service = await start();
  const rows: ServiceRig<Overrides>['rows'] = async (text, values = []) => (await owner.query(text, values)).rows;
  return {
    ...callerOn(bus),
    ...{ bus, database, prefix, service, logged, start, rows },
    async events(...types) {
      const found = await rows<{ payload: string }>(
        `select payload from ${name}.outbox where type = any($1) or $1 = array[]::text[] order by id`,
        [types],
      );
      return found.map(({ payload }) => JSON.parse(payload) as PublishedEvent);
    },
    async stop() {
      await bus.drain();
      await service.drain();
      await service.stop();
      await owner.end();
      await database.drop();
    },
  };
}
