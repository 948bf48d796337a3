// Proves that the service starts without Postgres or JetStream, or runs with a refused login, reports it, and recovers
// by itself. The bus tests its own reconnecting; crash.int.test.ts tests a process that dies.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectBus } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import { createTestDatabase, eventually, type TestDatabase } from '@yardarm/testing';
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
  it('without Postgres, it waits, is `unavailable` and reports it, and serves once Postgres answers', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-outage-'));
    const file = path.join(folder, 'database-url');
    // Port 1 of a machine that runs tests has no listener.
    writeFileSync(file, 'postgres://flags:x@127.0.0.1:1/none');
    const observer = await observeFlags(flagsEnvironment(database.urlFor('flags'), inject('natsUrl')));
    const { DATABASE_URL: _, ...environment } = observer.environment;
    const waits: unknown[] = [];
    const config = loadFlagsConfig({ ...environment, DATABASE_URL_FILE: file });
    const starting = startFlags(config, observer.log, { onWaiting: (parts) => void waits.push(parts) });
    try {
      await eventually(() => expect(waits.at(-1)).toEqual({ database: 'Postgres does not answer' }));
      await expect(observer.ask(contracts.listRevisions, {})).rejects.toMatchObject({ code: 'unavailable' });
      const asked = observer.ask(contracts.createFeature, { projectId: 'default', name: 'x' });
      await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    } finally {
      writeFileSync(file, database.urlFor('flags'));
      const service = await starting;
      expect(await service.health()).toEqual({ database: null, bus: null });
      await service.drain();
      await service.stop();
      await observer.close();
      rmSync(folder, { recursive: true });
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

describe('running', () => {
  it('while Postgres refuses its login, it answers `unavailable`, reports it, and writes few lines', async () => {
    const login = `flags_${randomBytes(6).toString('hex')}`;
    const change = (password: string) => database.rows(`alter role ${login} password '${password}'`);
    await database.rows(`create role ${login} login password 'first' in role yardarm_flags`);
    const url = new URL(database.urlFor('flags'));
    url.username = login;
    url.password = 'first';
    const lines: string[] = [];
    const log = createLogger({ service: 'flags', level: 'warn', destination: { write: (line) => lines.push(line) } });
    const observer = await observeFlags({
      ...flagsEnvironment(database.urlFor('flags'), inject('natsUrl')),
      DATABASE_URL: url.href,
    });
    const service = await startFlags(loadFlagsConfig(observer.environment), log);
    const create = (name: string) => observer.ask(contracts.createFeature, { projectId: 'default', name });
    try {
      await create('before');
      await service.processAll();
      await change('second');
      await database.rows('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [login]);
      await eventually(() => expect(create('refused')).rejects.toMatchObject({ code: 'unavailable' }));
      const asked = Array.from({ length: 500 }, (_, index) => create(`refused-${index}`));
      for (const outcome of await Promise.allSettled(asked)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
      }
      expect((await service.health()).database).toBe('Postgres refuses the login of this service');
      expect(lines.filter((line) => line.includes('Postgres refuses the login'))).toHaveLength(1);
      // One line for each loop that needs the database, and a few of each kind that repeats.
      expect(lines.length).toBeLessThan(30);
      await change('first');
      await eventually(async () => expect(await service.health()).toEqual({ database: null, bus: null }));
      await create('after');
      await service.processAll();
    } finally {
      await service.drain();
      await service.stop();
      await observer.close();
      await database.rows(`drop role ${login}`);
    }
  });
});
