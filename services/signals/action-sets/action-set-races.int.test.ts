// Concurrent changes of action sets, over a real bus and Postgres.
import * as contracts from '@yardarm/shared/contracts/signals';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeActionSet } from '../testing/action-set.ts';
import { serveReferences } from '../testing/references-double.ts';
import { race, type SignalsRig, startSignalsRig } from '../testing/signals-rig.ts';

let rig: SignalsRig;
let endpointId: number;

const projectId = 'default';
const create = (over = {}) =>
  rig.ask(contracts.createActionSet, { projectId, actionSet: makeActionSet(endpointId, over) });
const update = (actionSetId: number, over = {}) =>
  rig.ask(contracts.updateActionSet, { projectId, actionSetId, actionSet: makeActionSet(endpointId, over) });
const turn = (actionSetId: number, enabled: boolean) =>
  rig.ask(contracts.switchActionSet, { projectId, actionSetId, enabled });
const remove = (actionSetId: number) => rig.ask(contracts.deleteActionSet, { projectId, actionSetId });

beforeAll(async () => {
  rig = await startSignalsRig();
  serveReferences(rig.bus);
  await rig.bus.flush();
  endpointId = (await rig.createEndpoint('alerts')).id;
});

beforeEach(() => rig.rows('truncate signals.action_sets, signals.outbox cascade'));

afterAll(() => rig?.stop());

it('of twenty creations, five sets are made', async () => {
  expect(await race((racer) => create({ name: `set-${racer}` }))).toEqual({ won: 5, codes: ['limit-exceeded'] });
  expect(await rig.rows('select 1 from signals.action_sets')).toHaveLength(5);
  await expect(create({ name: 'sixth' })).rejects.toThrow(
    'The project "default" already has 5 action sets; it can have at most 5.',
  );
});

it('of twenty creations with one name, one set is made', async () => {
  expect(await race(() => create())).toEqual({ won: 1, codes: ['name-exists'] });
  expect(await rig.events('actions-created')).toHaveLength(1);
});

it('of updates, switches and deletions leave events that follow from each other', async () => {
  const { id } = await create();
  await race((racer) => {
    if (racer === 15) return remove(id);
    return racer % 2 === 0
      ? turn(id, racer % 4 === 0)
      : update(id, { name: `name-${racer}`, enabled: racer % 3 === 0 });
  });
  expect(await rig.rows('select 1 from signals.action_sets')).toEqual([]);
  const events = await rig.events();
  expect(events.at(-1)).toMatchObject({ type: 'actions-deleted' });
  for (const [index, event] of events.entries()) {
    if (index > 0) expect(event.preData).toEqual(events[index - 1]!.data);
  }
});
