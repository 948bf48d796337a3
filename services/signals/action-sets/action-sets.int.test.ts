// Action sets over a real bus and Postgres: what is stored, shown and emitted.

import * as contracts from '@yardarm/shared/contracts/signals';
import { eventually, longTest } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeActionSet } from '../testing/action-set.ts';
import { type ReferencesDouble, serveReferences } from '../testing/references-double.ts';
import { admin, type SignalsRig, startSignalsRig } from '../testing/signals-rig.ts';

let rig: SignalsRig;
let references: ReferencesDouble;
let endpointId: number;

const projectId = 'default';
const create = (over = {}, project = projectId) =>
  rig.ask(contracts.createActionSet, { projectId: project, actionSet: makeActionSet(endpointId, over) });
const update = (actionSetId: number, over = {}) =>
  rig.ask(contracts.updateActionSet, { projectId, actionSetId, actionSet: makeActionSet(endpointId, over) });
const turn = (actionSetId: number, enabled: boolean) =>
  rig.ask(contracts.switchActionSet, { projectId, actionSetId, enabled });
const remove = (actionSetId: number) => rig.ask(contracts.deleteActionSet, { projectId, actionSetId });
const list = async (project = projectId) => (await rig.ask(contracts.listActionSets, { projectId: project })).actions;
const enabledAt = async (id: number) =>
  (await rig.rows<{ at: Date | null }>('select enabled_at as at from signals.action_sets where id = $1', [id]))[0]?.at;

beforeAll(async () => {
  rig = await startSignalsRig();
  references = serveReferences(rig.bus);
  await rig.bus.flush();
});

beforeEach(async () => {
  await rig.rows('truncate signals.action_sets, signals.signal_endpoints, signals.outbox cascade');
  endpointId = (await rig.createEndpoint('alerts')).id;
  await rig.rows('delete from signals.outbox');
});

afterAll(() => rig?.stop());

describe('an action set', () => {
  it('is created, listed and emitted with its actions in their order', async () => {
    const actions = [
      { action: 'MARK_STALE' as const, sortOrder: 7, executionParams: { project: projectId, featureName: 'checkout' } },
      ...makeActionSet(endpointId).actions,
    ];
    const made = await create({ actions, cooldownSeconds: 60, description: 'At an alert' });
    const own = { createdAt: expect.any(String), createdByUserId: -42 };
    expect(made).toEqual({
      ...makeActionSet(endpointId),
      ...{
        id: expect.any(Number),
        project: projectId,
        description: 'At an alert',
        enabled: true,
        cooldownSeconds: 60,
        ...own,
      },
      match: {
        ...{ source: 'signal-endpoint', sourceId: endpointId },
        payload: {
          'labels.severity': { operator: 'IN', values: ['critical'], inverted: false, caseInsensitive: false },
        },
      },
      actions: [actions[1], actions[0]].map((action) => ({ ...action, id: expect.any(Number), ...own })),
    });
    expect(made.actions[0]!.id).toBeLessThan(made.actions[1]!.id);
    const second = await create({ name: 'Second', enabled: false });
    expect(await list()).toEqual([made, second]);
    expect(await rig.events()).toMatchObject([
      { type: 'actions-created', project: projectId, createdBy: 'root', data: made, preData: null },
      { type: 'actions-created', data: second },
    ]);
  });

  it('is replaced as a whole, and keeps the ids of actions that stay the same', async () => {
    const made = await create();
    const renamed = await update(made.id, { name: 'Renamed', description: 'x' });
    expect(renamed).toEqual({ ...made, name: 'Renamed', description: 'x' });
    const filters = { 'items[0]': { operator: 'NUM_GT' as const, value: '5', inverted: true } };
    const changed = await update(made.id, {
      actions: [{ ...makeActionSet(endpointId).actions[0]!, sortOrder: 3, action: 'TOGGLE_FEATURE_ON' }],
      match: { source: 'signal-endpoint', sourceId: endpointId, payload: filters },
    });
    expect(changed).toMatchObject({ id: made.id, name: made.name, description: null, createdAt: made.createdAt });
    expect(changed.match.payload).toEqual({ 'items[0]': { ...filters['items[0]'], caseInsensitive: false } });
    expect(changed.actions).toMatchObject([{ action: 'TOGGLE_FEATURE_ON', sortOrder: 3 }]);
    expect(changed.actions[0]!.id).not.toBe(made.actions[0]!.id);
    expect(await list()).toEqual([changed]);
    expect((await rig.events('actions-updated')).map(({ data, preData }) => [preData, data])).toEqual([
      [made, renamed],
      [renamed, changed],
    ]);
  });

  it('emits nothing when an update or a switch changes nothing', async () => {
    const made = await create({ match: filters(['b', 'a'], ['zz', 'y']) });
    expect(await update(made.id, { match: filters(['zz', 'y'], ['b', 'a']) })).toEqual(made);
    expect(await turn(made.id, true)).toEqual(made);
    expect(await rig.events('actions-updated')).toEqual([]);
  });

  const filters = (...names: string[][]) => ({
    source: 'signal-endpoint' as const,
    sourceId: endpointId,
    payload: Object.fromEntries(names.flat().map((name) => [name, { operator: 'IN' as const, values: [name] }])),
  });

  it('matches signals since it was switched on, by the clock of the database in milliseconds', async () => {
    const made = await create({ enabled: false });
    expect(await enabledAt(made.id)).toBeNull();
    const [before] = await rig.rows<{ now: Date }>('select clock_timestamp() as now');
    expect(await turn(made.id, true)).toEqual({ ...made, enabled: true });
    const first = (await enabledAt(made.id))!;
    expect(first.getTime()).toBeGreaterThanOrEqual(before!.now.getTime());
    const [exact] = await rig.rows('select 1 from signals.action_sets where enabled_at = date_trunc($1, enabled_at)', [
      'milliseconds',
    ]);
    expect(exact).toBeDefined();

    await update(made.id, { name: 'Renamed' });
    await turn(made.id, true);
    expect(await enabledAt(made.id)).toEqual(first);
    await turn(made.id, false);
    expect(await enabledAt(made.id)).toBeNull();
    await update(made.id, { enabled: true });
    const again = (await enabledAt(made.id))!;
    expect(again.getTime()).toBeGreaterThan(first.getTime());
    const other = await rig.createEndpoint('other');
    await update(made.id, { match: { ...makeActionSet(other.id).match } });
    expect((await enabledAt(made.id))!.getTime()).toBeGreaterThan(again.getTime());
    expect((await rig.events('actions-updated')).length).toBe(5);
  });

  it('is deleted with its actions', async () => {
    const made = await create();
    await remove(made.id);
    expect(await list()).toEqual([]);
    expect(await rig.rows('select 1 from signals.actions')).toEqual([]);
    expect(await rig.events('actions-deleted')).toMatchObject([{ project: projectId, data: null, preData: made }]);
    await expect(remove(made.id)).rejects.toMatchObject({ code: 'not-found' });
  });

  it.each([0, 987_654, 3_000_000_000_000])('with the unknown id %i is not found', async (id) => {
    const notFound = { code: 'not-found', message: `Could not find the action set with ID "${id}".` };
    for (const call of [() => update(id), () => turn(id, true), () => remove(id)]) {
      await expect(call()).rejects.toMatchObject(notFound);
    }
  });

  it('of another project is not found', async () => {
    const { id } = await create();
    for (const contract of [contracts.deleteActionSet, contracts.switchActionSet, contracts.updateActionSet]) {
      const input = { projectId: 'other', actionSetId: id, enabled: false, actionSet: makeActionSet(endpointId) };
      await expect(rig.ask(contract, input)).rejects.toMatchObject({ code: 'not-found' });
    }
    expect(await list('other')).toEqual([]);
    expect((await list())[0]).toMatchObject({ id, enabled: true });
  });

  it('outlives its endpoint, and can be switched and deleted, but not saved without another', async () => {
    const { id } = await create();
    await rig.rows('delete from signals.signal_endpoints');
    expect(await turn(id, false)).toMatchObject({ enabled: false, match: { sourceId: endpointId } });
    await expect(update(id)).rejects.toThrow(
      `The .match.sourceId property should be the id of a signal endpoint. You sent ${endpointId}.`,
    );
    await remove(id);
  });
});

describe('requests', () => {
  it.each([
    contracts.createActionSet,
    contracts.updateActionSet,
    contracts.deleteActionSet,
    contracts.switchActionSet,
    contracts.testActionSet,
    contracts.describeActions,
  ])('$name requires the permission ADMIN', async (contract) => {
    const editor = { ...admin, grants: [{ permissions: ['UPDATE_PROJECT' as const], projects: [projectId] }] };
    const input = { projectId, actionSetId: 1, enabled: true, actionSet: makeActionSet(endpointId), payload: null };
    await expect(rig.ask(contract, input, editor)).rejects.toMatchObject({
      code: 'no-access',
      message: expect.stringContaining('"ADMIN"'),
    });
  });

  it('list nothing for a project without sets, and refuse an unknown project', async () => {
    expect(await list()).toEqual([]);
    await expect(list('nowhere')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('describe the actions of a project', async () => {
    const definitions = await rig.ask(contracts.describeActions, { projectId });
    expect(Object.keys(definitions)).toHaveLength(8);
    expect(definitions.SET_ROLLOUT).toEqual({
      label: 'Set the rollout of a flag',
      description: expect.any(String),
      category: 'Strategies',
      permissions: ['UPDATE_FEATURE_STRATEGY'],
      parameters: [
        { name: 'project', label: 'Project', type: 'hidden', optional: false, options: [projectId] },
        {
          ...{ name: 'environment', label: 'Environment', type: 'select', optional: false },
          options: ['development', 'production'],
        },
        { name: 'featureName', label: 'Flag', type: 'select', optional: false },
        { name: 'rollout', label: 'Rollout in percent', type: 'select', optional: false },
        { name: 'strategyId', label: 'Strategy', type: 'select', optional: true },
      ],
    });
    await expect(rig.ask(contracts.describeActions, { projectId: 'nowhere' })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('show the limits', async () => {
    expect(await rig.ask(contracts.getSignalsLimits, {})).toMatchObject({
      ...{ actionSetActions: 10, actionSetsPerProject: 5, actionSetFilters: 5, actionSetFilterValues: 25 },
    });
  });

  longTest('are refused with unavailable before the gateway gives up, while accounts hangs', async () => {
    const { id } = await create();
    const { promise: never } = Promise.withResolvers<void>();
    references.beforeActor = () => never;
    try {
      await expect(update(id, { name: 'Renamed' })).rejects.toMatchObject({
        ...{ code: 'unavailable', retryAfterSeconds: expect.any(Number) },
        message: expect.stringContaining('nothing was done'),
      });
    } finally {
      references.beforeActor = async () => {};
    }
    expect((await list()).map(({ name }) => name)).toEqual([makeActionSet(endpointId).name]);
  });

  it('are refused with unavailable while flags or accounts is away, and change nothing', async () => {
    const { id } = await create();
    for (const who of ['isFlagsAway', 'isAccountsAway'] as const) {
      references[who] = true;
      try {
        const refused = { code: 'unavailable', retryAfterSeconds: expect.any(Number) };
        await expect(create({ name: 'Second' })).rejects.toMatchObject(refused);
        await expect(update(id, { name: 'Renamed' })).rejects.toMatchObject(refused);
        // A set can be switched off and deleted without them.
        expect((await list()).map(({ name }) => name)).toEqual([makeActionSet(endpointId).name]);
        await turn(id, false);
        await turn(id, true);
      } finally {
        references[who] = false;
      }
    }
    expect(await rig.events('actions-created')).toHaveLength(1);
  });
});

it('the signals of an endpoint run from the moment when its first set is enabled', async () => {
  const untilRun = (id: number) =>
    eventually(async () =>
      expect(
        await rig.rows('select from signals.lease where name = $1 and holder is not null', [`runs-${id}`]),
      ).toHaveLength(1),
    );
  const startedAt: number[] = [];
  for (const name of ['one', 'two', 'three', 'four']) {
    const { id } = await rig.createEndpoint(name);
    const made = await rig.ask(contracts.createActionSet, {
      projectId,
      actionSet: makeActionSet(id, { name, enabled: name !== 'four' }),
    });
    if (!made.enabled) await turn(made.id, true);
    await untilRun(id);
    startedAt.push(performance.now());
  }
  // A poll finds it too, once a second: then each would have waited for the next one.
  expect(startedAt[3]! - startedAt[0]!).toBeLessThan(2_500);
});
