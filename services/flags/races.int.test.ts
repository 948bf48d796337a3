// Proves what concurrent writers get: one winner, changes one after the other, events in order, no deadlocks. Postgres
// counts the deadlocks, because the transaction helper would retry and hide them.
import * as contracts from '@yardarm/shared/contracts/flags';
import type { AppError } from '@yardarm/shared/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, contextOf, type OwnFlagsRig, startOwnFlagsRig } from './testing/flags-rig.ts';

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
  it('never deadlock, and those that share a transaction raise each revision once', async () => {
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
      expect(raised(environment)).toBeGreaterThan(0);
      expect(raised(environment)).toBeLessThan(switches + changes(2));
    }
    for (const name of names) expect((await rig.events(name)).length).toBeGreaterThan(rounds.length);
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
    // No request can do this. The log of the run has the TypeError that it causes.
    await rig.database.rows('delete from flags.feature_lifecycle where feature_name = $1', [unreadable]);
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
