// Proves that the service starts without Postgres or JetStream, reports it, and recovers by itself. The bus tests its
// own reconnecting; crash.int.test.ts tests a process that dies.
import { randomUUID } from 'node:crypto';
import { connectBus } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { loadFlagsConfig } from './config.ts';
import { startFlags } from './service.ts';
import { flagsEnvironment, observeFlags } from './testing/flags-rig.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database?.drop();
});

describe('starting', () => {
  it('without Postgres, it answers `unavailable` and reports it in its health', async () => {
    // Port 1 of a machine that runs tests has no listener.
    const observer = await observeFlags(flagsEnvironment('postgres://flags:x@127.0.0.1:1/none', inject('natsUrl')));
    const service = await startFlags(loadFlagsConfig(observer.environment), observer.log);
    try {
      expect(await service.health()).toEqual({ database: 'Postgres does not answer', bus: null });
      await expect(observer.ask(contracts.listRevisions, {})).rejects.toMatchObject({ code: 'unavailable' });
      const asked = observer.ask(contracts.createFeature, { projectId: 'default', name: 'x' });
      await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    } finally {
      await service.drain();
      await service.stop();
      await observer.close();
    }
  });

  it('without JetStream, it answers, keeps its events, and consumes once JetStream answers', async () => {
    const observer = await observeFlags(flagsEnvironment(database.urlFor('flags'), inject('natsUrl')));
    let failures = 2;
    const service = await startFlags(loadFlagsConfig(observer.environment), observer.log, {
      connectBus: async (options) => {
        const bus = await connectBus({ ...options, log: observer.log });
        const ensureStreams: typeof bus.ensureStreams = async (names) => {
          failures -= 1;
          if (failures >= 0) throw new AppError('unavailable', 'JetStream does not answer');
          await bus.ensureStreams(names);
        };
        return { ...bus, ensureStreams };
      },
    });
    try {
      const create = { projectId: 'default', name: 'made-meanwhile' };
      expect(await observer.ask(contracts.createFeature, create)).toMatchObject({ name: 'made-meanwhile' });
      expect(await observer.unmarked()).toHaveLength(1);

      await service.processAll();
      expect(failures).toBeLessThan(0);
      expect(await observer.unmarked()).toEqual([]);
      const named = {
        ...{ eventId: randomUUID(), version: 1, source: 'accounts', type: 'user-created' },
        ...{ createdAt: new Date().toISOString(), createdBy: 'root', createdByUserId: -42, createdByUsername: 'root' },
        ...{ environment: null, project: null, featureName: null, data: { id: 5, name: 'Five' }, preData: null },
        ...{ tags: [], requestId: null, traceparent: null },
      };
      await observer.bus.publish('evt.accounts.user-created', named, { msgId: named.eventId });
      await service.processAll();
      const row = await observer.db.kysely.selectFrom('users').select('name').where('id', '=', 5).executeTakeFirst();
      expect(row?.name).toBe('Five');
    } finally {
      await service.drain();
      await service.stop();
      await observer.close();
    }
  });
});
