// What is refused when a set is saved or tested, and what a test shows, over a real bus and Postgres.
import * as contracts from '@yardarm/shared/contracts/signals';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeActionSet } from '../testing/action-set.ts';
import { type ReferencesDouble, robotId, serveReferences, strategyId } from '../testing/references-double.ts';
import { sendSignals } from '../testing/sent-signals.ts';
import { type SignalsRig, startSignalsRig } from '../testing/signals-rig.ts';

type Sent = ReturnType<typeof makeActionSet>;

let rig: SignalsRig;
let references: ReferencesDouble;
let endpointId: number;

const projectId = 'default';
const toggle = { project: projectId, environment: 'production', featureName: 'checkout' };
const turnOff = (executionParams: Sent['actions'][number]['executionParams'], sortOrder = 1) => ({
  ...{ action: 'TOGGLE_FEATURE_OFF' as const, sortOrder, executionParams },
});
const dryRun = (over: Partial<Sent>, payload?: unknown) =>
  rig.ask(contracts.testActionSet, {
    ...{ projectId, actionSet: makeActionSet(endpointId, over) },
    ...(payload !== undefined && { payloadText: JSON.stringify(payload) }),
  });

beforeAll(async () => {
  rig = await startSignalsRig();
  references = serveReferences(rig.bus);
  await rig.bus.flush();
  endpointId = (await rig.createEndpoint('alerts')).id;
});

afterAll(() => rig?.stop());

describe('a test of a set', () => {
  it('shows what each filter compares and the steps in their order', async () => {
    const over: Partial<Sent> = {
      match: {
        ...{ source: 'signal-endpoint', sourceId: endpointId },
        payload: {
          'labels.severity': { operator: 'IN', values: ['critical'] },
          'alerts[0].value': { operator: 'NUM_GT', value: '90' },
          gone: { operator: 'NOT_IN', values: ['x'] },
        },
      },
      actions: [
        turnOff({ ...toggle, featureName: '{{payload.labels.flag}}' }, 2),
        { action: 'SET_ROLLOUT', sortOrder: 1, executionParams: { ...toggle, rollout: 10, strategyId } },
        turnOff({ ...toggle, environment: '{{payload.labels.environment}}' }, 3),
      ],
    };
    const payload = { labels: { severity: 'critical', flag: 'search' }, alerts: [{ value: 85 }] };
    expect(await dryRun(over, payload)).toEqual({
      matches: false,
      filters: expect.arrayContaining([
        { parameter: 'labels.severity', value: 'critical', matches: true },
        { parameter: 'alerts[0].value', value: '85', matches: false },
        { parameter: 'gone', value: null, matches: true },
      ]),
      steps: [
        {
          ...{ action: 'SET_ROLLOUT', sortOrder: 1, problem: null },
          parameters: { ...toggle, rollout: '10', strategyId },
        },
        {
          ...{ action: 'TOGGLE_FEATURE_OFF', sortOrder: 2, problem: null },
          parameters: { ...toggle, featureName: 'search' },
        },
        {
          ...{ action: 'TOGGLE_FEATURE_OFF', sortOrder: 3, parameters: expect.anything() },
          problem:
            'The .environment property needs payload.labels.environment, which is no text, number or boolean of the payload.',
        },
      ],
    });
    expect((await dryRun(over, { ...payload, alerts: [{ value: 91 }] })).matches).toBe(true);
  });

  it('has a signal without a body match a set without filters', async () => {
    const match = { source: 'signal-endpoint' as const, sourceId: endpointId, payload: {} };
    expect(await dryRun({ match })).toMatchObject({ matches: true, filters: [], steps: [{ problem: null }] });
  });

  it('takes the payload of a stored signal as it was sent, and refuses one that is not stored', async () => {
    const match = {
      ...{ source: 'signal-endpoint' as const, sourceId: endpointId },
      payload: { n: { operator: 'IN' as const, values: ['12345678901234567890'] } },
    };
    const sent = { id: 31, endpointId, createdAt: '2026-01-31T12:00:00.000Z' };
    await sendSignals(rig, { ...sent, tokenId: 1, payloadText: '{"n":12345678901234567890}' });
    await rig.service.processAll();
    const ask = (signalId: number) =>
      rig.ask(contracts.testActionSet, { projectId, actionSet: makeActionSet(endpointId, { match }), signalId });
    expect(await ask(31)).toMatchObject({ matches: true, filters: [{ value: '12345678901234567890' }] });
    await expect(ask(987_654)).rejects.toMatchObject({ code: 'not-found', message: expect.stringContaining('987654') });
  });

  it('truncates what is long, and answers in one message with the most that the limits allow', async () => {
    const names = Array.from({ length: 5 }, (_, index) => `text${index}`);
    const payload = Object.fromEntries(names.map((name) => [name, '漢'.repeat(30_000)]));
    const result = await dryRun(
      {
        match: {
          ...{ source: 'signal-endpoint', sourceId: endpointId },
          payload: Object.fromEntries(names.map((name) => [name, { operator: 'STR_CONTAINS', values: ['漢'] }])),
        },
        actions: Array.from({ length: 10 }, (_, index) =>
          turnOff({ ...toggle, featureName: '{{payload.text0}}' }, index + 1),
        ),
      },
      payload,
    );
    expect(result.matches).toBe(true);
    expect(result.filters.map(({ value }) => value)).toEqual(names.map(() => `${'漢'.repeat(200)}…`));
    expect(result.steps[0]?.problem).toContain('should have at most 1000 characters');
  });

  it('stores and emits nothing', async () => {
    await rig.rows('delete from signals.outbox');
    await dryRun({}, {});
    expect(await rig.rows('select 1 from signals.action_sets')).toEqual([]);
    expect(await rig.events()).toEqual([]);
  });

  it('is also possible for a project that has all its sets', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) {
      await rig.ask(contracts.createActionSet, { projectId, actionSet: makeActionSet(endpointId, { name }) });
    }
    expect(await dryRun({ name: 'a' }, {})).toMatchObject({ matches: false });
    await rig.rows('truncate signals.action_sets cascade');
  });
});

describe('a set is refused, in a test, a creation and an update alike,', () => {
  it.each<[string, Partial<Sent> | (() => Partial<Sent>), string, string]>([
    ['with an unknown actor', { actorId: 99 }, 'bad-data', '.actorId property should be the id of a service account'],
    [
      'with an actor that lacks a permission',
      { actorId: robotId + 1 },
      'bad-data',
      '.actorId property should be a service account with the permission UPDATE_FEATURE_ENVIRONMENT',
    ],
    [
      'with an unknown flag',
      { actions: [turnOff({ ...toggle, featureName: 'unknown' })] },
      'bad-data',
      '.actions[0].executionParams.featureName property should be a flag of the project "default"',
    ],
    [
      'with an environment that the project does not have',
      { actions: [turnOff({ ...toggle, environment: 'staging' })] },
      'bad-data',
      '.actions[0].executionParams.environment property should be an environment of the project "default"',
    ],
    [
      'with the flag of another project',
      { actions: [turnOff({ ...toggle, project: 'other' })] },
      'bad-data',
      '.actions[0].executionParams.project property should be the project of the action set, "default"',
    ],
    [
      'with an unknown endpoint',
      { match: { source: 'signal-endpoint', sourceId: 2_147_483_647, payload: {} } },
      'bad-data',
      '.match.sourceId property should be the id of a signal endpoint',
    ],
    [
      'with a filter that cannot be compared',
      { match: { source: 'signal-endpoint', sourceId: 1, payload: { a: { operator: 'SEMVER_GT', value: 'v1' } } } },
      'bad-data',
      '.match.payload.a.value property should be a version such as 1.2.3',
    ],
    [
      'with too many actions',
      { actions: Array.from({ length: 11 }, (_, index) => turnOff(toggle, index + 1)) },
      'limit-exceeded',
      '.actions property should have at most 10 items. You sent 11.',
    ],
  ])('%s', async (_, over, code, words) => {
    references.actors.set(robotId + 1, [{ permissions: ['UPDATE_FEATURE'], projects: [projectId] }]);
    const actionSet = makeActionSet(endpointId, typeof over === 'function' ? over() : over);
    const good = makeActionSet(endpointId);
    const { id: actionSetId } = await rig.ask(contracts.createActionSet, { projectId, actionSet: good });
    await rig.rows('delete from signals.outbox');
    const refused = { code, message: expect.stringContaining(words) };
    await expect(rig.ask(contracts.createActionSet, { projectId, actionSet })).rejects.toMatchObject(refused);
    await expect(rig.ask(contracts.updateActionSet, { projectId, actionSetId, actionSet })).rejects.toMatchObject(
      refused,
    );
    const message = expect.stringContaining(`.actionSet${words}`);
    await expect(rig.ask(contracts.testActionSet, { projectId, actionSet })).rejects.toMatchObject({ code, message });
    expect(await rig.events()).toEqual([]);
    await rig.rows('truncate signals.action_sets cascade');
  });

  it('for an unknown project', async () => {
    const actionSet = makeActionSet(endpointId, { actions: [turnOff({ ...toggle, project: 'nowhere' })] });
    for (const contract of [contracts.createActionSet, contracts.testActionSet]) {
      await expect(rig.ask(contract, { projectId: 'nowhere', actionSet })).rejects.toMatchObject({ code: 'not-found' });
    }
  });

  it('without a question to flags or accounts, if the set itself is wrong', async () => {
    references.requests = 0;
    await expect(dryRun({ actions: [turnOff({ project: projectId })] })).rejects.toMatchObject({ code: 'bad-data' });
    expect(references.requests).toBe(0);
  });
});
