// What changes of a set over the bus do to its unfinished runs: only a disable or a deletion stops them.
import { executeStep } from '@yardarm/shared/contracts/flags';
import * as contracts from '@yardarm/shared/contracts/signals';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeActionSet } from '../testing/action-set.ts';
import { type ReferencesDouble, serveReferences } from '../testing/references-double.ts';
import { sendSignals } from '../testing/sent-signals.ts';
import { type SignalsRig, startSignalsRig } from '../testing/signals-rig.ts';

const projectId = 'default';
const signalCount = 5;

let rig: SignalsRig;
let references: ReferencesDouble;
let here: number;
let there: number;
let signalId = 0;
/** The number of steps that flags was called for, and for which projects by their times of creation. */
let called = 0;
const projects = new Set<unknown>();
/** A step waits for it before it is answered. */
let gate: Promise<void>;
let open: () => void;

/** Two actions, and no filters. */
const makeSet = (endpointId: number, over = {}) => {
  const set = makeActionSet(endpointId);
  const [action] = set.actions;
  const actions = [action!, { ...action!, sortOrder: 2 }];
  return { ...set, match: { ...set.match, payload: {} }, actions, ...over };
};
const create = () => rig.ask(contracts.createActionSet, { projectId, actionSet: makeSet(here) });
const save = (actionSetId: number, endpointId: number, over = {}) =>
  rig.ask(contracts.updateActionSet, { projectId, actionSetId, actionSet: makeSet(endpointId, over) });
const remove = (actionSetId: number) => rig.ask(contracts.deleteActionSet, { projectId, actionSetId });
const turn = (actionSetId: number, enabled: boolean) =>
  rig.ask(contracts.switchActionSet, { projectId, actionSetId, enabled });
const send = () => {
  signalId += 1;
  return sendSignals(rig, { id: signalId, endpointId: here, payloadText: '{}' });
};
const list = (actionSetId: number) =>
  rig.ask(contracts.listActionRuns, { projectId, actionSetId, limit: 100, offset: 0 });
const states = async () =>
  (await rig.rows<{ state: string }>('select state from signals.action_runs order by id')).map(({ state }) => state);
const reasons = async () =>
  (await rig.rows("select distinct details from signals.run_steps where state = 'not started' and details <> ''")).map(
    ({ details }) => details,
  );

beforeAll(async () => {
  rig = await startSignalsRig();
  references = serveReferences(rig.bus);
  rig.bus.serve(executeStep, async ({ projectCreatedAt }) => {
    called += 1;
    projects.add(projectCreatedAt);
    await gate;
    return { details: 'done' };
  });
  await rig.bus.flush();
  here = (await rig.createEndpoint('here')).id;
  there = (await rig.createEndpoint('there')).id;
});

beforeEach(async () => {
  await rig.rows('truncate signals.action_sets, signals.action_runs, signals.outbox cascade');
  called = 0;
  projects.clear();
  references.createdAt.clear();
  ({ promise: gate, resolve: open } = Promise.withResolvers<void>());
});

afterAll(() => rig?.stop());

/** A set with several runs. The first step of the first one is being called. */
async function startedRuns(): Promise<number> {
  const { id } = await create();
  for (let sent = 0; sent < signalCount; sent += 1) await send();
  await eventually(async () => expect([called, (await states()).length]).toEqual([1, signalCount]));
  return id;
}

const succeeded = Array(signalCount).fill('success');
const failed = Array(signalCount).fill('failed');

describe('the unfinished runs of a set', () => {
  it.each([
    ['is renamed', (id: number) => save(id, here, { name: 'Renamed' })],
    ['gets another endpoint', (id: number) => save(id, there)],
    ['gets another endpoint and its first one again', (id: number) => save(id, there).then(() => save(id, here))],
    ['gets another endpoint and is switched on again', (id: number) => save(id, there).then(() => turn(id, true))],
  ])('go on if it %s', async (_, change) => {
    await change(await startedRuns());
    open();
    await rig.service.processAll();
    expect([await states(), called]).toEqual([succeeded, 2 * signalCount]);
  });

  it.each([
    ['is switched off', (id: number) => turn(id, false)],
    ['is switched off and on', (id: number) => turn(id, false).then(() => turn(id, true))],
    [
      'is switched off and on with another endpoint',
      (id: number) => turn(id, false).then(() => save(id, there, { enabled: true })),
    ],
    [
      'is switched off, on with another endpoint, and gets its first one again',
      (id: number) =>
        save(id, here, { enabled: false })
          .then(() => save(id, there))
          .then(() => save(id, here)),
    ],
    ['is saved as disabled with another endpoint', (id: number) => save(id, there, { enabled: false })],
  ])('fail before their next step if it %s', async (_, change) => {
    await change(await startedRuns());
    open();
    await rig.service.processAll();
    expect([await states(), called, await reasons()]).toEqual([failed, 1, ['The action set was disabled.']]);
  });

  it('fail before their next step if it is deleted', async () => {
    await remove(await startedRuns());
    open();
    await rig.service.processAll();
    expect([await states(), called, await reasons()]).toEqual([failed, 1, ['The action set was deleted.']]);
  });

  it('change only the project that their set was made for, also if it is made again meanwhile', async () => {
    const createdAt = '2026-05-01T00:00:00.000Z';
    references.createdAt.set(projectId, createdAt);
    const id = await startedRuns();
    references.createdAt.set(projectId, '2026-05-02T00:00:00.000Z');
    await save(id, here);
    open();
    await rig.service.processAll();
    expect([await states(), [...projects]]).toEqual([succeeded, [createdAt]]);
  });

  it('keep their steps if its actions are edited', async () => {
    const id = await startedRuns();
    const [action] = makeSet(here).actions;
    await save(id, here, { actions: [action] });
    open();
    await send();
    await rig.service.processAll();
    expect([await states(), called]).toEqual([[...succeeded, 'success'], 2 * signalCount + 1]);
    const runs = (await list(id)).actionSetEvents;
    expect(runs.map(({ actionSet }) => actionSet.actions.length)).toEqual([1, ...Array(signalCount).fill(2)]);
  });
});

describe('runs that race with changes of their set', () => {
  const edit = (id: number, n: number) => save(id, n % 2 === 0 ? here : there, { name: `name-${n}` });

  it('all succeed if these are edits', async () => {
    const id = await startedRuns();
    open();
    await Promise.all(Array.from({ length: 12 }, (_, n) => edit(id, n)));
    await rig.service.processAll();
    expect(await states()).toEqual(succeeded);
  });

  it('begin at most one step that had begun when the set was disabled, and none later', async () => {
    const id = await startedRuns();
    open();
    const edits = Array.from({ length: 6 }, (_, n) => edit(id, n));
    await turn(id, false);
    const before = called;
    // A step that was committed as started before the disable may be called after it.
    const again = turn(id, true);
    await Promise.all([...edits, again]);
    await rig.service.processAll();
    expect(called - before).toBeLessThanOrEqual(1);
    const ended = await states();
    expect(ended).toEqual(ended.toSorted().toReversed());
  });
});
