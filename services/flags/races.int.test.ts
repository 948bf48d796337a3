// Proves what happens when many write at once: one winner, changes one after the other, events in their order, nobody waiting for
// each other. Deadlocks are counted by Postgres: the transaction helper would try again and hide them.
import * as contracts from '@yardarm/shared/contracts/flags';
import type { AppError } from '@yardarm/shared/errors';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type FlagsRig, flagsEnvironment, startFlagsRig } from './testing/flags-rig.ts';

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
const describeAs = (featureName: string, description: string) =>
  rig.ask(contracts.patchFeature, {
    projectId,
    featureName,
    operations: [{ op: 'replace', path: '/description', value: description }],
  });
const turn = (featureName: string, environment: string, enabled: boolean) =>
  rig.ask(contracts.switchEnvironment, { projectId, featureName, environment, enabled });

describe('twenty at once', () => {
  it('make one flag of one name: one wins, the others are told that it is there', async () => {
    // Again and again: which of the unique indexes a loser meets first is a matter of microseconds.
    for (const round of racers) {
      const name = `raced-${round}`;
      const results = await Promise.allSettled(racers.map(() => create(name)));
      const lost = results.filter((result) => result.status === 'rejected');
      expect(lost).toHaveLength(19);
      for (const { reason } of lost) expect((reason as AppError).code).toBe('name-exists');
      expect(await rig.events(name)).toHaveLength(1);
    }
  });

  it('patch one flag: as many events as changes, each beginning where the one before ended', async () => {
    await create('patched');
    await Promise.all(racers.map((racer) => describeAs('patched', `by ${racer}`)));
    const events = (await rig.events('patched')).slice(1);
    expect(events.map(({ type }) => type)).toEqual(racers.map(() => 'feature-metadata-updated'));
    let before: unknown = null;
    for (const { data, preData } of events) {
      expect(preData?.description).toBe(before);
      before = data?.description;
    }
    const feature = await rig.ask(contracts.getFeature, { projectId, featureName: 'patched' });
    expect(feature.description).toBe(before);
    expect(new Set(events.map(({ data }) => data?.description)).size).toBe(20);
  });

  it('switch one flag to the same state: one change', async () => {
    await create('switched');
    await Promise.all(racers.map(() => turn('switched', 'production', true)));
    const types = (await rig.events('switched')).map(({ type }) => type);
    expect(types).toEqual(['feature-created', 'feature-strategy-add', 'feature-environment-enabled']);
  });

  it('add the thirtieth strategy: one gets the place', async () => {
    await create('crowded');
    const add = () =>
      rig.ask(contracts.addStrategy, {
        ...{ projectId, featureName: 'crowded', environment: 'development' },
        strategy: { name: 'default' },
      });
    for (let count = 0; count < 29; count += 1) await add();
    const results = await Promise.allSettled(racers.map(add));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { environments } = await rig.ask(contracts.getFeature, { projectId, featureName: 'crowded' });
    expect(environments[0]?.strategies).toHaveLength(30);
  });
});

describe('switches in one environment, switches in the other, and patches that touch both', () => {
  it('never wait for each other in a circle, and raise a revision for every switch; patches may share one', async () => {
    const names = racers.map((racer) => `busy-${racer}`);
    await Promise.all(names.map(create));
    const before = (await rig.ask(contracts.listRevisions, {})).environments;
    const rounds = [0, 1, 2, 3];
    await Promise.all(
      names.map(async (name, index) => {
        for (const round of rounds) {
          const isOn = round % 2 === 0;
          if (index % 3 === 0) await turn(name, 'development', isOn);
          else if (index % 3 === 1) await turn(name, 'production', isOn);
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
    // Sessions hand in their statistics when they end.
    const { rows } = await owner.query('select deadlocks from pg_stat_database where datname = current_database()');
    expect(Number(rows[0].deadlocks)).toBe(0);
    rig = await startFlagsRig(rig.environment);
  });
});

describe('patches of different flags at once', () => {
  it('share transactions, and each is answered with its own flag or its own refusal', async () => {
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

  it('do not wait for a flag that another transaction holds', async () => {
    const names = ['held', ...racers.map((racer) => `free-${racer}`)];
    await Promise.all(names.map(create));
    const holding = await rig.db.kysely.startTransaction().execute();
    await holding.selectFrom('features').select('name').where('name', '=', 'held').forUpdate().execute();
    const [held, ...free] = names.map((name) => describeAs(name, `text of ${name}`));
    await Promise.all(free);
    expect(await rig.events('held')).toHaveLength(1);
    await holding.commit().execute();
    expect(await held).toMatchObject({ name: 'held', description: 'text of held' });
  });
});

describe('events of one flag', () => {
  it('arrive in the stream in the order in which they happened, though many flags change at once', async () => {
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
