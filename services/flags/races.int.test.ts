// Proves what concurrent writers get: one winner, changes one after the other, events in order, no deadlocks. Postgres
// counts the deadlocks, because the transaction helper would retry and hide them.
import * as contracts from '@yardarm/shared/contracts/flags';
import type { AppError } from '@yardarm/shared/errors';
import { createTestDatabase, eventually, type TestDatabase } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { admin, contextOf, type FlagsRig, flagsEnvironment, startFlagsRig } from './testing/flags-rig.ts';

const projectId = 'default';
const racers = Array.from({ length: 20 }, (_, index) => index);

let database: TestDatabase;
let owner: pg.Client;
let rig: FlagsRig;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  rig = await startFlagsRig(flagsEnvironment(database.urlFor('flags'), inject('natsUrl')));
});
afterAll(async () => {
  await rig?.stop();
  await owner?.end();
  await database?.drop();
});

const create = (name: string) => rig.ask(contracts.createFeature, { projectId, name });
const describeAs = (featureName: string, description: string, timeoutMs = 20_000) =>
  rig.bus.request(
    contracts.patchFeature,
    { projectId, featureName, operations: [{ op: 'replace', path: '/description', value: description }] },
    { ...contextOf(admin), deadline: Date.now() + timeoutMs },
  );
const switchFlag = (featureName: string, environment: string, enabled: boolean) =>
  rig.ask(contracts.switchEnvironment, { projectId, featureName, environment, enabled });

describe('twenty concurrent requests', () => {
  it('that make a flag of one name: one succeeds, the others end with name-exists', async () => {
    // Repeated, because microseconds decide which of the unique indexes a loser violates first.
    for (const round of racers) {
      const name = `raced-${round}`;
      const results = await Promise.allSettled(racers.map(() => create(name)));
      const lost = results.filter((result) => result.status === 'rejected');
      expect(lost).toHaveLength(19);
      for (const { reason } of lost) expect((reason as AppError).code).toBe('name-exists');
      expect(await rig.events(name)).toHaveLength(1);
    }
  });

  it('that patch one flag: as many events as changes, in the order of arrival, each from the state before it', async () => {
    await create('patched');
    await Promise.all(racers.map((racer) => describeAs('patched', `by ${racer}`)));
    const [, ...events] = await rig.events('patched');
    const texts = racers.map((racer) => `by ${racer}`);
    expect(events.map(({ data }) => data?.description)).toEqual(texts);
    expect(events.map(({ preData }) => preData?.description)).toEqual([null, ...texts.slice(0, -1)]);
    const feature = await rig.ask(contracts.getFeature, { projectId, featureName: 'patched' });
    expect(feature.description).toBe(texts.at(-1));
  });

  it('that switch one flag to the same state: one change', async () => {
    await create('switched');
    await Promise.all(racers.map(() => switchFlag('switched', 'production', true)));
    const types = (await rig.events('switched')).map(({ type }) => type);
    expect(types).toEqual(['feature-created', 'feature-strategy-add', 'feature-environment-enabled']);
  });

  it('that add the thirtieth strategy: one succeeds', async () => {
    await create('full');
    const add = () =>
      rig.ask(contracts.addStrategy, {
        ...{ projectId, featureName: 'full', environment: 'development' },
        strategy: { name: 'default' },
      });
    for (let count = 0; count < 29; count += 1) await add();
    const results = await Promise.allSettled(racers.map(add));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { environments } = await rig.ask(contracts.getFeature, { projectId, featureName: 'full' });
    expect(environments[0]?.strategies).toHaveLength(30);
  });
});

describe('switches in one environment, switches in the other, and patches of both', () => {
  it('never deadlock, and raise a revision for every switch; patches may share one', async () => {
    const names = racers.map((racer) => `busy-${racer}`);
    await Promise.all(names.map(create));
    const before = (await rig.ask(contracts.listRevisions, {})).environments;
    const rounds = [0, 1, 2, 3];
    await Promise.all(
      names.map(async (name, index) => {
        for (const round of rounds) {
          const isOn = round % 2 === 0;
          if (index % 3 === 0) await switchFlag(name, 'development', isOn);
          else if (index % 3 === 1) await switchFlag(name, 'production', isOn);
          else await describeAs(name, `round ${round}`);
        }
      }),
    );
    const after = (await rig.ask(contracts.listRevisions, {})).environments;
    const changes = (remainder: number) => names.filter((_, index) => index % 3 === remainder).length * rounds.length;
    const raised = (environment: string) => after[environment]!.default! - before[environment]!.default!;
    for (const [environment, switches] of Object.entries({ development: changes(0), production: changes(1) })) {
      expect(raised(environment)).toBeGreaterThan(switches);
      expect(raised(environment)).toBeLessThanOrEqual(switches + changes(2));
    }

    await rig.stop();
    // Sessions report their statistics when they end.
    const { rows } = await owner.query('select deadlocks from pg_stat_database where datname = current_database()');
    expect(Number(rows[0].deadlocks)).toBe(0);
    rig = await startFlagsRig(rig.environment);
  });
});

describe('concurrent patches of different flags', () => {
  it('share transactions, and each gets its own flag or its own refusal', async () => {
    const names = racers.map((racer) => `shared-${racer}`);
    await Promise.all(names.map(create));
    const before = (await rig.ask(contracts.listRevisions, {})).environments;
    const patches = names.flatMap((name) => [
      describeAs(name, `of ${name}`),
      rig.ask(contracts.patchFeature, {
        ...{ projectId, featureName: name },
        operations: [{ op: 'replace', path: '/type', value: `no type ${name}` }],
      }),
      describeAs(`missing-${name}`, 'nowhere'),
    ]);
    const results = await Promise.allSettled(patches);
    for (const [index, name] of names.entries()) {
      const [described, mistyped, missing] = results.slice(3 * index, 3 * index + 3);
      expect(described).toMatchObject({ status: 'fulfilled', value: { name, description: `of ${name}` } });
      expect(mistyped).toMatchObject({ status: 'rejected', reason: { code: 'bad-data' } });
      expect((mistyped as PromiseRejectedResult).reason.message).toContain(`no type ${name}`);
      expect(missing).toMatchObject({ status: 'rejected', reason: { code: 'not-found' } });
      expect(await rig.events(name)).toHaveLength(2);
    }
    const after = (await rig.ask(contracts.listRevisions, {})).environments;
    expect(after.production!.default! - before.production!.default!).toBeLessThan(names.length);
  });
});

describe('a flag whose row cannot be mapped', () => {
  it('costs the other patches of its group no answer', async () => {
    const names = racers.map((racer) => `mapped-${racer}`);
    await Promise.all(names.map(create));
    // The first patch runs alone, so the others share the next transaction.
    const [alone, unreadable, ...others] = names as [string, string, ...string[]];
    await owner.query('delete from flags.feature_lifecycle where feature_name = $1', [unreadable]);
    const results = await Promise.allSettled(
      [alone, unreadable, ...others].map((name) => describeAs(name, `of ${name}`)),
    );
    expect(results[1]).toMatchObject({ reason: { code: 'internal' } });
    for (const [index, name] of names.entries()) {
      if (name !== unreadable) expect(results[index]).toMatchObject({ value: { name, description: `of ${name}` } });
      expect((await rig.events(name)).at(-1)?.data).toMatchObject({ description: `of ${name}` });
    }
  });
});

describe('patches of locked flags', () => {
  const locked = ['locked-0', 'locked-1', 'locked-2', 'locked-3', 'locked-4'];
  let holder: pg.Client;

  beforeAll(async () => {
    holder = new pg.Client({ connectionString: database.ownerUrl });
    await holder.connect();
    await Promise.all(['unlocked', ...locked].map(create));
  });
  afterAll(() => holder?.end());
  const lock = async (names: readonly string[]) => {
    await holder.query('begin');
    await holder.query('select from flags.features where name = any($1) for update', [names]);
  };
  const lockWaits = async (): Promise<number> => {
    const { rows } = await owner.query(`
      select count(distinct pid)::int as waits from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database()`);
    return rows[0].waits;
  };
  const descriptions = async (name: string) =>
    (await rig.events(name)).flatMap(({ type, data }) => (type === 'feature-created' ? [] : [data?.description]));

  it('of forty, one waits for the row and the others in memory, in the order of arrival; other flags continue', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `patch ${index}`);
    await lock(['locked-0']);
    const patches = texts.map((text) => describeAs('locked-0', text));
    // Requests arrive in the order of sending. After the answer for an unlocked flag, the service has all forty.
    await describeAs('unlocked', 'after the forty');
    await eventually(async () => expect(await lockWaits()).toBe(1));
    await describeAs('unlocked', 'while one of the forty waits for the row');
    expect(await lockWaits()).toBe(1);
    expect(await descriptions('locked-0')).toEqual([]);
    await holder.query('commit');
    expect((await Promise.all(patches)).map(({ description }) => description)).toEqual(texts);
    expect(await descriptions('locked-0')).toEqual(texts);
  });

  it('of five flags, at most three connections wait; other flags continue', async () => {
    await lock(locked);
    const texts = ['one', 'two', 'three'];
    const patches = texts.flatMap((text) => locked.map((name) => describeAs(name, text)));
    await describeAs('unlocked', 'after the five');
    await eventually(async () => expect(await lockWaits()).toBe(3));
    await describeAs('unlocked', 'while three wait for their rows');
    expect(await lockWaits()).toBe(3);
    await holder.query('commit');
    await Promise.all(patches);
    for (const name of locked) expect((await descriptions(name)).slice(-3)).toEqual(texts);
  });

  it('end as timeout at their deadline, waiting for the row or in memory, with nothing done', async () => {
    const before = await descriptions('locked-1');
    await lock(['locked-1']);
    const patches = Promise.allSettled(racers.map((racer) => describeAs('locked-1', `late ${racer}`, 1_000)));
    await describeAs('unlocked', 'after the late');
    await eventually(async () => expect(await lockWaits()).toBe(1));
    // The service counts from the arrival, which is earlier.
    const lastDeadline = Date.now() + 1_000;
    for (const patch of await patches) {
      expect(patch).toMatchObject({ status: 'rejected', reason: { code: 'timeout', status: 504 } });
    }
    await eventually(() => expect(Date.now()).toBeGreaterThan(lastDeadline));
    await holder.query('commit');
    await describeAs('locked-1', 'in time');
    expect(await descriptions('locked-1')).toEqual([...before, 'in time']);
  });

  it('wait for a connection no longer than until the deadlines of those that wait for their rows', async () => {
    const [blocked, ...waiting] = locked.slice(0, 4) as [string, ...string[]];
    await lock(locked);
    const late = Promise.allSettled(waiting.map((name) => describeAs(name, 'late', 500)));
    await describeAs('unlocked', 'after the three');
    // Postgres alone would end the three waits after 5 s.
    const inTime = describeAs(blocked, 'after the late', 4_000);
    for (const patch of await late) expect(patch).toMatchObject({ reason: { code: 'timeout' } });
    await eventually(async () => expect(await lockWaits()).toBe(1));
    await holder.query('commit');
    expect(await inTime).toMatchObject({ description: 'after the late' });
  });

  it('of a missing flag are refused while others wait for their flags', async () => {
    await lock(locked);
    const patches = locked.map((name) => describeAs(name, 'waits'));
    await eventually(async () => expect(await lockWaits()).toBe(3));
    await expect(describeAs('no-such-flag', 'nowhere')).rejects.toMatchObject({ code: 'not-found' });
    await holder.query('commit');
    await Promise.all(patches);
  });
});

describe('a stop while a row is locked', () => {
  it('refuses the patches in memory at once, and the patch that waits for the row still commits', async () => {
    await create('stuck');
    const holder = new pg.Client({ connectionString: database.ownerUrl });
    await holder.connect();
    await holder.query(`begin; select from flags.features where name = 'stuck' for update`);
    const [first, ...others] = racers.map((racer) => describeAs('stuck', `by ${racer}`));
    await describeAs('busy-0', 'after all of them');
    const drained = rig.service.drain();
    for (const patch of await Promise.allSettled(others)) {
      expect(patch).toMatchObject({ reason: { code: 'unavailable', message: expect.stringContaining('stopping') } });
    }
    await holder.query('commit');
    await holder.end();
    expect(await first).toMatchObject({ description: 'by 0' });
    await drained;
    await rig.stop();
    rig = await startFlagsRig(rig.environment);
  });
});

describe('events of one flag', () => {
  it('arrive in the stream in order, although many flags change at once', async () => {
    const names = racers.slice(0, 5).map((racer) => `ordered-${racer}`);
    await Promise.all(names.map(create));
    await Promise.all(
      names.flatMap((name) => racers.slice(0, 8).map((racer) => describeAs(name, `${name} by ${racer}`))),
    );
    await rig.service.processAll();
    const published = (await rig.published()).map(({ payload }) => payload as { eventId: string; featureName: string });
    for (const name of names) {
      const inStream = published.filter(({ featureName }) => featureName === name).map(({ eventId }) => eventId);
      expect(inStream).toEqual((await rig.events(name)).map(({ eventId }) => eventId));
      expect(inStream).toHaveLength(9);
    }
  });
});
