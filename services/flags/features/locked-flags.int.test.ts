// Proves what patches of locked flags do: they wait in their order, until their deadlines, and until a stop.
import * as contracts from '@yardarm/shared/contracts/flags';
import { eventually, longTest } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, contextOf, type OwnFlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';

const projectId = 'default';
const racers = Array.from({ length: 20 }, (_, index) => index);

let rig: OwnFlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const create = (name: string) => rig.ask(contracts.createFeature, { projectId, name });
const describeAs = (featureName: string, description: string, timeoutMs = 20_000) =>
  rig.bus.request(
    contracts.patchFeature,
    { projectId, featureName, operations: [{ op: 'replace', path: '/description', value: description }] },
    { ...contextOf(admin), deadline: Date.now() + timeoutMs },
  );
const lockWaits = async (): Promise<number> => {
  const [row] = await rig.database.rows<{ waits: number }>(`
    select count(distinct pid)::int as waits from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`);
  return row!.waits;
};

describe('patches of locked flags', () => {
  const locked = ['locked-0', 'locked-1', 'locked-2', 'locked-3', 'locked-4'];
  let holder: pg.Client;

  beforeAll(async () => {
    holder = new pg.Client({ connectionString: rig.database.ownerUrl });
    await holder.connect();
    await Promise.all(['unlocked', ...locked].map(create));
  });
  afterAll(() => holder?.end());
  const lock = async (names: readonly string[]) => {
    await holder.query('begin');
    await holder.query('select from flags.features where name = any($1) for update', [names]);
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
    // Postgres alone would end the three waits after 10 s.
    const inTime = describeAs(blocked, 'after the late', 4_000);
    for (const patch of await late) expect(patch).toMatchObject({ reason: { code: 'timeout' } });
    await eventually(async () => expect(await lockWaits()).toBe(1));
    await holder.query('commit');
    expect(await inTime).toMatchObject({ description: 'after the late' });
  });

  longTest('and other changes wait until their deadline, however long the row is locked', async () => {
    await lock(['locked-0', 'locked-1']);
    const [at, change] = [Date.now(), { projectId, featureName: 'locked-0', environment: 'production' }];
    const waiting = Promise.all([
      describeAs('locked-0', 'after seconds', 20_000),
      rig.ask(contracts.switchEnvironment, { ...change, featureName: 'locked-1', enabled: true }),
      rig.ask(contracts.addStrategy, { ...change, strategy: { name: 'default' } }),
    ]);
    await eventually(async () => expect(await lockWaits()).toBe(3));
    // Longer than an import of 5,000 flags holds their rows.
    await eventually(() => expect(Date.now() - at).toBeGreaterThan(6_000));
    await holder.query('commit');
    await waiting;
  });

  longTest(
    'and twenty other changes occupy four connections, beside which reads and other patches are answered',
    async () => {
      await lock(['locked-0']);
      const change = { projectId, featureName: 'locked-0', environment: 'production' };
      const changes = racers.map((racer) =>
        racer % 2 === 0
          ? rig.ask(contracts.switchEnvironment, { ...change, enabled: racer % 4 === 0 })
          : rig.ask(contracts.addStrategy, { ...change, strategy: { name: 'default', title: `by ${racer}` } }),
      );
      const patch = describeAs('locked-0', 'behind the twenty');
      const [answers, at] = [Promise.allSettled([...changes, patch]), Date.now()];
      await eventually(async () => expect(await lockWaits()).toBe(4));
      // A request that waits for a free connection is refused after 3 s.
      while (Date.now() - at < 4_000) {
        await Promise.all(racers.map(() => rig.ask(contracts.getFeature, { projectId, featureName: 'locked-0' })));
        await describeAs('unlocked', `after ${Date.now() - at} ms`);
        expect(await lockWaits()).toBe(4);
      }
      await holder.query('commit');
      const refused = (await answers).flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
      expect(refused).toEqual([]);
      expect(await descriptions('locked-0')).toContain('behind the twenty');
    },
  );

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
  it('refuses the changes that are still in memory after five seconds, and those that wait for the row commit', async () => {
    await Promise.all(['stuck', 'free'].map(create));
    const holder = new pg.Client({ connectionString: rig.database.ownerUrl });
    await holder.connect();
    await holder.query(`begin; select from flags.features where name = 'stuck' for update`);
    const [first, ...others] = racers.map((racer) => describeAs('stuck', `by ${racer}`));
    await describeAs('free', 'after all of them');
    const change = { projectId, featureName: 'stuck', environment: 'production' };
    // The first patch has one of the four places of changes.
    const switched = Promise.allSettled(
      racers.map(() => rig.ask(contracts.switchEnvironment, { ...change, enabled: true })),
    );
    const strategy = { name: 'default' };
    const changes = racers.map(() => rig.ask(contracts.addStrategy, { ...change, strategy }));
    const changed = Promise.allSettled(changes);
    await eventually(async () => expect(await lockWaits()).toBe(4));
    const drained = rig.service.drain();
    const refused = { reason: { code: 'unavailable', message: expect.stringContaining('stopping') } };
    for (const patch of await Promise.allSettled(others)) expect(patch).toMatchObject(refused);
    // The row is still locked.
    for (const inMemory of await Promise.allSettled(changes.slice(3))) expect(inMemory).toMatchObject(refused);
    for (const behindPatch of await switched) expect(behindPatch).toMatchObject(refused);
    await holder.query('commit');
    await holder.end();
    expect(await first).toMatchObject({ description: 'by 0' });
    expect((await changed).filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    await drained;
  });
});
