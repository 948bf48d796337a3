// Changes of strategies over a real bus and Postgres: answers, events, revisions and races.
import { randomUUID } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { propertyRuns } from '@yardarm/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strategyCalls } from '../../testing/flag-calls.ts';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';
const environment = 'development';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const { newFlag, list, turnOn, lastEvents, revision, newSegment } = strategyCalls(() => rig);

describe('reading', () => {
  it('lists strategies in their order and finds one by id', async () => {
    const { place, ids, first } = await newFlag(
      { name: 'default', sortOrder: 5 },
      { name: 'userWithId', sortOrder: 1 },
    );
    expect((await list(place)).map(({ id }) => id)).toEqual([ids[1], ids[0]]);
    expect(await rig.ask(contracts.getStrategy, first)).toMatchObject({ id: ids[0], name: 'default' });
    expect(await list({ ...place, environment: 'production' })).toEqual([]);
  });

  it.each([
    ['project', { projectId: 'nowhere' }],
    ['feature', { featureName: 'nowhere' }],
    ['environment', { environment: 'nowhere' }],
    ['strategy', { strategyId: 'nowhere' }],
    ['strategy', { strategyId: randomUUID() }],
  ])('names the missing %s for every operation: %j', async (noun, other) => {
    const { first } = await newFlag({ name: 'default' });
    const one = { ...first, ...other };
    const message = new RegExp(`Could not find the ${noun} .*${Object.values(other)[0]}`);
    const refusal = { code: 'not-found', message: expect.stringMatching(message) };
    await expect(rig.ask(contracts.getStrategy, one)).rejects.toMatchObject(refusal);
    await expect(rig.ask(contracts.updateStrategy, { ...one, strategy: {} })).rejects.toMatchObject(refusal);
    await expect(rig.ask(contracts.patchStrategy, { ...one, operations: [] })).rejects.toMatchObject(refusal);
    await expect(rig.ask(contracts.deleteStrategy, one)).rejects.toMatchObject(refusal);
    if (noun === 'strategy') return;
    await expect(rig.ask(contracts.listStrategies, one)).rejects.toMatchObject(refusal);
    await expect(rig.ask(contracts.setStrategyOrder, { ...one, order: [] })).rejects.toMatchObject(refusal);
  });
});

describe('changing', () => {
  const variants = [{ name: 'a', weight: 0, weightType: 'variable' as const, stickiness: 'default' }];

  it('an update replaces lists and parameters, and keeps what is absent', async () => {
    const segment = await newSegment();
    const sent = { title: 'A', disabled: true, sortOrder: 4, segments: [segment], variants };
    const { first, featureName } = await newFlag({ name: 'flexibleRollout', parameters: { rollout: 20 }, ...sent });
    const before = await rig.ask(contracts.getStrategy, first);
    const after = await rig.ask(contracts.updateStrategy, { ...first, strategy: { parameters: { rollout: '30' } } });
    const parameters = { rollout: '30', stickiness: 'default', groupId: featureName };
    expect(after).toEqual({ ...before, variants: [], constraints: [], parameters });
    expect(await rig.ask(contracts.getStrategy, first)).toEqual(after);
    const [event] = await lastEvents(featureName, 1);
    expect(event).toMatchObject({ type: 'feature-strategy-update', environment, data: after, preData: before });
  });

  it('a patch changes one place', async () => {
    const { first, featureName } = await newFlag({ name: 'flexibleRollout', parameters: { rollout: 20 } });
    const operations = [{ op: 'replace' as const, path: '/parameters/rollout', value: '35' }];
    const after = await rig.ask(contracts.patchStrategy, { ...first, operations });
    expect(after.parameters).toEqual({ rollout: '35', stickiness: 'default', groupId: featureName });
  });

  it('replaced parameters get the defaults of the type, those that stay do not', async () => {
    const { first, featureName } = await newFlag({ name: 'default' });
    const defaults = { rollout: '100', stickiness: 'default', groupId: featureName };
    const updated = await rig.ask(contracts.updateStrategy, { ...first, strategy: { name: 'flexibleRollout' } });
    expect(updated.parameters).toEqual(defaults);
    const patch = (path: string, value: unknown) =>
      rig.ask(contracts.patchStrategy, { ...first, operations: [{ op: 'replace', path, value }] });
    expect((await patch('/parameters', { rollout: '20' })).parameters).toEqual({ ...defaults, rollout: '20' });
    expect((await patch('/parameters', {})).parameters).toEqual(defaults);
    // Yardarm stored this before updates had defaults.
    await sql`update feature_strategies set parameters = '{}' where id = ${first.strategyId}`.execute(rig.db.kysely);
    expect((await patch('/title', 'new')).parameters).toEqual({});
  });

  it('the same strategy changes nothing', async () => {
    const { first, featureName } = await newFlag({ name: 'default', variants });
    const [events, raised] = [(await rig.events(featureName)).length, await revision()];
    const { id: _, featureName: __, ...same } = await rig.ask(contracts.getStrategy, first);
    await rig.ask(contracts.updateStrategy, { ...first, strategy: same });
    await rig.ask(contracts.patchStrategy, { ...first, operations: [] });
    await rig.ask(contracts.setStrategyOrder, { ...first, order: [{ id: first.strategyId, sortOrder: 0 }] });
    expect([(await rig.events(featureName)).length, await revision()]).toEqual([events, raised]);
  });

  it('SDKs do not see changes of a disabled strategy', async () => {
    const { first } = await newFlag({ name: 'default', disabled: true });
    const before = await revision();
    await rig.ask(contracts.updateStrategy, { ...first, strategy: { title: 'B' } });
    expect(await revision()).toBe(before);
    await rig.ask(contracts.updateStrategy, { ...first, strategy: { disabled: false } });
    expect(await revision()).toBe(before + 1);
    await rig.ask(contracts.deleteStrategy, first);
    expect(await revision()).toBe(before + 2);
  });

  it('SDKs see a sort order only in the order of the strategies', async () => {
    const { first, featureName } = await newFlag({ name: 'default' }, { name: 'userWithId', sortOrder: 5 });
    const before = await revision();
    await rig.ask(contracts.updateStrategy, { ...first, strategy: { sortOrder: 4 } });
    expect((await lastEvents(featureName, 1))[0]?.type).toBe('feature-strategy-update');
    expect(await revision()).toBe(before);
    await rig.ask(contracts.updateStrategy, { ...first, strategy: { sortOrder: 6 } });
    expect(await revision()).toBe(before + 1);
  });

  it('is removed from the expected version of its flag alone', async () => {
    const { first, featureName } = await newFlag({ name: 'default' });
    const version = async () =>
      (await rig.ask(contracts.getFeature, { projectId: first.projectId, featureName })).version;
    const seen = await version();
    await rig.ask(contracts.updateStrategy, { ...first, strategy: { title: 'Theirs' } });
    await expect(rig.ask(contracts.deleteStrategy, { ...first, expectedVersions: [seen] })).rejects.toMatchObject({
      code: 'precondition-failed',
    });
    expect(await rig.ask(contracts.getStrategy, first)).toMatchObject({ title: 'Theirs' });
    await rig.ask(contracts.deleteStrategy, { ...first, expectedVersions: [await version()] });
    await expect(rig.ask(contracts.getStrategy, first)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('weights of variants always sum to 1000', async () => {
    const { first } = await newFlag({ name: 'default' });
    const weighted = fc.record({
      weight: fc.nat(1000),
      weightType: fc.constantFrom('fix' as const, 'variable' as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(weighted, { minLength: 1, maxLength: 6 }), fc.boolean(), async (weights, isPatch) => {
        const sent = weights.map((weight, index) => ({ ...weight, name: `v${index}`, stickiness: 'default' }));
        const change = isPatch
          ? rig.ask(contracts.patchStrategy, { ...first, operations: [{ op: 'add', path: '/variants', value: sent }] })
          : rig.ask(contracts.updateStrategy, { ...first, strategy: { variants: sent } });
        await change.catch((error: { code: string }) => expect(error.code).toBe('bad-data'));
        const { variants: kept } = await rig.ask(contracts.getStrategy, first);
        if (kept.length > 0) expect(kept.reduce((sum, { weight }) => sum + weight, 0)).toBe(1000);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it('the variants of environments count against the size of a flag', async () => {
    const { first, featureName } = await newFlag({ name: 'default' });
    const variants = JSON.stringify([
      { name: 'big', weight: 1000, payload: { type: 'string', value: 'x'.repeat(450_000) } },
    ]);
    await rig.db.kysely
      .updateTable('feature_environments')
      .set({ variants })
      .where('feature_name', '=', featureName)
      .where('environment', '=', 'production')
      .execute();
    const strategy = { parameters: { text: 'x'.repeat(60_000) } };
    await expect(rig.ask(contracts.updateStrategy, { ...first, strategy })).rejects.toMatchObject({
      code: 'limit-exceeded',
    });
  });
});

describe('races', () => {
  it('never exceed the number of strategies, and leave no flag on without one', async () => {
    const { place, featureName } = await newFlag(...Array.from({ length: 27 }, () => ({ name: 'default' })));
    await turnOn(featureName);
    const adds = Array.from({ length: 8 }, () =>
      rig.ask(contracts.addStrategy, { ...place, strategy: { name: 'default' } }),
    );
    const added = await Promise.allSettled(adds);
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    const strategies = await list(place);
    expect(strategies).toHaveLength(30);
    await Promise.all(strategies.map(({ id }) => rig.ask(contracts.deleteStrategy, { ...place, strategyId: id })));
    const { environments } = await rig.ask(contracts.getFeature, { projectId, featureName });
    expect(environments[0]).toMatchObject({ enabled: false, strategies: [] });
    const types = (await rig.events(featureName)).map(({ type }) => type);
    expect(types.filter((type) => type === 'feature-environment-disabled')).toHaveLength(1);
  });
});
