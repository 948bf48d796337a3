// Proves what strategies refer to: segments and context fields.
import { randomUUID } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strategyCalls } from '../../testing/flag-calls.ts';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

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

const { newFlag, list, lastEvents, newSegment } = strategyCalls(() => rig);

const usesOf = (segmentId: number) =>
  rig.db.kysely
    .selectFrom('segment_revisions')
    .select(['environment', 'is_used'])
    .where('segment_id', '=', segmentId)
    .execute();

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
      expect(await rig.ask(contracts.listStrategiesByContextField, input)).toEqual({ strategies: found });
    }
    await expect(
      rig.ask(contracts.listStrategiesByContextField, { contextField, projectId: 'nowhere' }),
    ).rejects.toMatchObject({ code: 'not-found' });
  });
});
