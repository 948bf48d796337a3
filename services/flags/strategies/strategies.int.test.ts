// Changes of strategies over a real bus and Postgres: answers, events, revisions, segments and races.
import { randomUUID } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';

const projectId = 'default';
const environment = 'development';
const member: Actor = {
  ...{ kind: 'user', id: 7, username: 'ed' },
  grants: [{ permissions: ['UPDATE_FEATURE_STRATEGY'], projects: [projectId], environment: 'production' }],
};

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

type Sent = { name: string } & Record<string, unknown>;

async function newFlag(...strategies: Sent[]) {
  const featureName = `flag.${randomUUID()}`;
  await rig.ask(contracts.createFeature, { projectId, name: featureName });
  const place = { projectId, featureName, environment };
  const ids = [];
  for (const strategy of strategies) ids.push((await rig.ask(contracts.addStrategy, { ...place, strategy })).id);
  return { place, featureName, ids, first: { ...place, strategyId: ids[0] ?? '' } };
}

const list = async (place: Parameters<typeof stored>[0]) => (await stored(place)).strategies;
const stored = (place: { projectId: string; featureName: string; environment: string }) =>
  rig.ask(contracts.listStrategies, place);
const turnOn = (featureName: string) =>
  rig.ask(contracts.switchEnvironment, { projectId, featureName, environment, enabled: true });
const lastEvents = async (featureName: string, count: number) => (await rig.events(featureName)).slice(-count);

async function revision(): Promise<number> {
  return (await rig.ask(contracts.listRevisions, {})).environments[environment]?.[projectId] ?? 0;
}

async function newSegment(project: string | null = null): Promise<number> {
  const row = await rig.db.kysely
    .insertInto('segments')
    .values({ name: randomUUID(), description: null, project, constraints: '[]', created_by: 'test' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

const usesOf = (segmentId: number) =>
  rig.db.kysely
    .selectFrom('segment_revisions')
    .select(['environment', 'is_used'])
    .where('segment_id', '=', segmentId)
    .execute();

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
    expect(after).toEqual({ ...before, variants: [], constraints: [], parameters: { rollout: '30' } });
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
      { numRuns: 40 },
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

describe('the last enabled strategy', () => {
  const ways: [string, (one: Awaited<ReturnType<typeof newFlag>>['first']) => Promise<unknown>, string][] = [
    ['deleted', (one) => rig.ask(contracts.deleteStrategy, one), 'feature-strategy-remove'],
    [
      'updated',
      (one) => rig.ask(contracts.updateStrategy, { ...one, strategy: { disabled: true } }),
      'feature-strategy-update',
    ],
    [
      'patched',
      (one) =>
        rig.ask(contracts.patchStrategy, { ...one, operations: [{ op: 'replace', path: '/disabled', value: true }] }),
      'feature-strategy-update',
    ],
  ];

  it.each(ways)('%s away switches the flag off there', async (_, remove, type) => {
    const { first, featureName } = await newFlag({ name: 'default' }, { name: 'default', disabled: true });
    await turnOn(featureName);
    await remove(first);
    const events = await lastEvents(featureName, 2);
    expect(events.map((event) => [event.type, event.environment])).toEqual([
      [type, environment],
      ['feature-environment-disabled', environment],
    ]);
    const { environments } = await rig.ask(contracts.getFeature, { projectId, featureName });
    expect(environments.map(({ enabled }) => enabled)).toEqual([false, false]);
  });

  it.each(ways)('another one that is %s away leaves the flag on', async (_, remove, type) => {
    const { first, featureName } = await newFlag({ name: 'default' }, { name: 'default' });
    await turnOn(featureName);
    await remove(first);
    expect((await lastEvents(featureName, 1))[0]?.type).toBe(type);
    const { environments } = await rig.ask(contracts.getFeature, { projectId, featureName });
    expect(environments[0]?.enabled).toBe(true);
  });
});

describe('the order', () => {
  it('changes with one event of the ids before and after', async () => {
    const { place, featureName, ids } = await newFlag({ name: 'default' }, { name: 'userWithId' });
    const before = await revision();
    await rig.ask(contracts.setStrategyOrder, { ...place, order: [{ id: ids[0]!, sortOrder: 9 }] });
    const [event] = await lastEvents(featureName, 1);
    const [data, preData] = [{ strategyIds: [ids[1], ids[0]] }, { strategyIds: ids }];
    expect(event).toMatchObject({ type: 'strategy-order-changed', environment, data, preData });
    expect((await list(place)).map(({ sortOrder }) => sortOrder)).toEqual([1, 9]);
    expect(await revision()).toBe(before + 1);
  });

  it('names a strategy that is not there, and then changes nothing', async () => {
    const { place, ids } = await newFlag({ name: 'default' });
    const order = [
      { id: ids[0]!, sortOrder: 3 },
      { id: 'nowhere', sortOrder: 1 },
    ];
    await expect(rig.ask(contracts.setStrategyOrder, { ...place, order })).rejects.toMatchObject({
      ...{ code: 'bad-data', message: expect.stringContaining('[1].id property names no strategy') },
    });
    expect((await list(place)).map(({ sortOrder }) => sortOrder)).toEqual([0]);
  });
});

describe('segments', () => {
  it('of all projects and of the own one are accepted, others are named', async () => {
    await rig.db.kysely
      .insertInto('projects')
      .values({ id: 'segments', name: 's', description: null })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const [global, own, foreign] = [await newSegment(), await newSegment(projectId), await newSegment('segments')];
    const { first, place } = await newFlag({ name: 'default', segments: [own, global, own] });
    expect((await list(place))[0]?.segments).toEqual([global, own]);
    for (const id of [foreign, 2 ** 31 - 1, 2 ** 40, -1, 0]) {
      await expect(
        rig.ask(contracts.updateStrategy, { ...first, strategy: { segments: [own, id] } }),
      ).rejects.toMatchObject({
        ...{ code: 'bad-data', message: expect.stringMatching(new RegExp(`segments\\[1\\].*${id}`)) },
      });
    }
  });

  it('the use of a segment begins and ends with the strategies that SDKs see', async () => {
    const segment = await newSegment();
    const { first, place, featureName } = await newFlag({ name: 'default', disabled: true, segments: [segment] });
    expect(await usesOf(segment)).toEqual([]);
    await rig.ask(contracts.updateStrategy, { ...first, strategy: { disabled: false } });
    expect(await usesOf(segment)).toEqual([{ environment, is_used: true }]);
    await rig.ask(contracts.updateStrategy, { ...first, strategy: { segments: [] } });
    expect(await usesOf(segment)).toEqual([{ environment, is_used: false }]);
    const set = { projectId, strategyId: first.strategyId, environmentId: environment, segmentIds: [segment, segment] };
    expect(await rig.ask(contracts.setStrategySegments, set)).toEqual({ ...set, segmentIds: [segment] });
    expect((await lastEvents(featureName, 1))[0]).toMatchObject({
      ...{ type: 'feature-strategy-update', data: { segments: [segment] }, preData: { segments: [] } },
    });
    expect(await usesOf(segment)).toEqual([{ environment, is_used: true }]);
    await rig.ask(contracts.deleteStrategy, first);
    expect([await usesOf(segment), await list(place)]).toEqual([[{ environment, is_used: false }], []]);
  });

  it('of a strategy need the permission in its environment', async () => {
    const { first } = await newFlag({ name: 'default' });
    const set = { projectId, strategyId: first.strategyId, environmentId: environment, segmentIds: [] };
    await expect(rig.ask(contracts.setStrategySegments, set, member)).rejects.toMatchObject({ code: 'no-access' });
    const elsewhere = { ...set, environmentId: 'production' };
    await expect(rig.ask(contracts.setStrategySegments, elsewhere, member)).rejects.toMatchObject({
      ...{ code: 'bad-data', message: expect.stringContaining('.strategyId') },
    });
  });
});

describe('constraints', () => {
  it('are checked by the legal values of the context field, also alone', async () => {
    await rig.db.kysely
      .insertInto('context_fields')
      .values({ name: 'plan', description: null, legal_values: '[{"value":"free"}]' })
      .execute();
    const constraint = { contextName: 'plan', operator: 'IN' as const, values: ['free'] };
    await expect(rig.ask(contracts.validateConstraint, constraint)).resolves.toEqual({});
    await expect(rig.ask(contracts.validateConstraint, { ...constraint, values: ['paid'] })).rejects.toMatchObject({
      ...{ code: 'bad-data', message: expect.stringContaining('The .values[0] property should be a legal value') },
    });
    await expect(
      newFlag({ name: 'default', constraints: [{ ...constraint, values: ['paid'] }] }),
    ).rejects.toMatchObject({
      ...{ code: 'bad-data', message: expect.stringContaining('.constraints[0].values[0]') },
    });
    const unknown = { contextName: 'unheard', operator: 'NOT_IN' as const, values: [] };
    await expect(rig.ask(contracts.validateConstraint, unknown)).resolves.toEqual({});
  });

  it('find the strategies that use a context field', async () => {
    const contextField = `field "${randomUUID()}`;
    const constraints = [{ contextName: contextField, operator: 'IN', values: ['x'] }];
    const other = [{ contextName: 'other', operator: 'IN', values: [`"contextName":"${contextField}"`, contextField] }];
    const { ids, featureName } = await newFlag(
      { name: 'default', constraints },
      { name: 'default', constraints: other },
    );
    const found = [{ id: ids[0], projectId, featureName, strategyName: 'default', environment }];
    for (const input of [{ contextField }, { contextField, projectId }]) {
      expect(await rig.askMany(contracts.listStrategiesByContextField, input)).toEqual([{ strategies: found }]);
    }
    await expect(
      rig.askMany(contracts.listStrategiesByContextField, { contextField, projectId: 'nowhere' }),
    ).rejects.toMatchObject({ code: 'not-found' });
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
