// What the tests of deliveries share: integrations of their own for each test, endpoints on loopback, and a look into the tables.
import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, inject } from 'vitest';
import { IntegrationsRig } from './integrations-rig.ts';
import { type Answer, type Receiver, startReceiver } from './receiver.ts';

/** Integrations of the test that runs; made before each test of the file that calls it, and gone after it. */
export function runningDeliveries() {
  let database: TestDatabase;
  let rig: IntegrationsRig;
  const endpoints: Receiver[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    rig = await IntegrationsRig.open({
      natsUrl: inject('natsUrl'),
      databaseUrl: database.urlFor('integrations'),
      prefix: `t${randomBytes(6).toString('hex')}`,
    });
  });

  afterEach(async () => {
    closeEndpoints();
    await rig.close();
    await database.drop();
  });

  const closeEndpoints = () => {
    for (const endpoint of endpoints.splice(0)) endpoint.close();
  };
  const deliveries = () => rig.db.kysely.selectFrom('deliveries').selectAll().orderBy('event_id').execute();

  return {
    get rig() {
      return rig;
    },
    /** Of the service's own login. */
    databaseUrl: () => database.urlFor('integrations'),
    asOwner: (text: string) => database.rows(text),
    deliveries,
    states: async () => (await deliveries()).map(({ state }) => state),
    /** Every attempt that has ended, wherever it is stored. */
    attempts: async () => {
      const columns = ['started_at', 'duration_ms', 'status', 'error_code', 'response_body'] as const;
      const earlier = await rig.db.kysely
        .selectFrom('delivery_attempts')
        .select(['number', ...columns])
        .execute();
      const latest = await rig.db.kysely
        .selectFrom('deliveries')
        .select(['attempts as number', ...columns])
        .where('started_at', 'is not', null)
        .execute();
      return [...earlier, ...latest].sort((a, b) => a.number - b.number);
    },
    closeEndpoints,
    /** An endpoint on loopback; answers 200 until told otherwise. */
    async startEndpoint(answer: Answer = (response) => response.end()): Promise<Receiver> {
      const endpoint = await startReceiver(answer);
      endpoint.url += '/hook';
      endpoints.push(endpoint);
      return endpoint;
    },
  };
}

/** Answers with this status. */
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end();
