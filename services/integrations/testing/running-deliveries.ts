// Shared by the tests of deliveries: integrations for each test, endpoints on loopback, and reads of the tables.
import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, inject } from 'vitest';
import { IntegrationsRig } from './integrations-rig.ts';
import { type Answer, type Receiver, startReceiver } from './receiver.ts';

/** Integrations for each test of the file that calls it. */
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
    databaseUrl: () => database.urlFor('integrations'),
    asOwner: (text: string) => database.rows(text),
    deliveries,
    states: async () => (await deliveries()).map(({ state }) => state),
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
    /** An endpoint on loopback; answers 200 by default. */
    async startEndpoint(answer: Answer = (response) => response.end()): Promise<Receiver> {
      const endpoint = await startReceiver(answer);
      endpoint.url += '/hook';
      endpoints.push(endpoint);
      return endpoint;
    },
  };
}

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end();
