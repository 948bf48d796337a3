// What the deletion of a project changes in action sets, over a real bus and Postgres. The test publishes the events
// of flags.
import { randomUUID } from 'node:crypto';
import { systemUserId } from '@yardarm/shared/contracts';
import type { PublishedEvent } from '@yardarm/shared/contracts/events';
import * as contracts from '@yardarm/shared/contracts/signals';
import { eventually } from '@yardarm/testing';
import { publishedEvent } from '@yardarm/testing/events';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeActionSet } from '../testing/action-set.ts';
import { type ReferencesDouble, robotId, serveReferences } from '../testing/references-double.ts';
import { type SignalsRig, startSignalsRig } from '../testing/signals-rig.ts';

let rig: SignalsRig;
let references: ReferencesDouble;
let endpointId: number;

const projectId = 'shop';

const create = (name: string, project = projectId) => {
  const executionParams = { project, environment: 'production', featureName: '{{payload.flag}}' };
  const actions = (['TOGGLE_FEATURE_OFF', 'TOGGLE_FEATURE_ON'] as const).map((action, index) => ({
    ...{ action, sortOrder: index + 1, executionParams },
  }));
  return rig.ask(contracts.createActionSet, {
    projectId: project,
    actionSet: makeActionSet(endpointId, { name, actions }),
  });
};

const list = async (project = projectId) => (await rig.ask(contracts.listActionSets, { projectId: project })).actions;

/** The time of the database as in an event. */
const now = async () => (await rig.rows<{ now: Date }>('select clock_timestamp() as now'))[0]!.now.toISOString();

/** When the project was created, and when it was created again. */
const [first, second] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];

async function deletion(more: Partial<PublishedEvent> = {}, projectCreatedAt = first): Promise<PublishedEvent> {
  const preData = { id: projectId, createdAt: projectCreatedAt };
  const createdAt = await now();
  return publishedEvent({
    type: 'project-deleted',
    project: projectId,
    featureName: null,
    createdAt,
    preData,
    ...more,
  });
}

// A message id of its own for each, so that JetStream stores a repetition too.
const announce = (event: PublishedEvent) => rig.bus.publish(`evt.flags.${event.type}`, event, { msgId: randomUUID() });

async function deliver(event: PublishedEvent): Promise<void> {
  await announce(event);
  await rig.service.processAll();
}

beforeAll(async () => {
  rig = await startSignalsRig();
  references = serveReferences(rig.bus);
  await rig.bus.flush();
  endpointId = (await rig.createEndpoint('alerts')).id;
});

beforeEach(async () => {
  references.projects.set(projectId, ['production']);
  references.createdAt.set(projectId, first);
  references.beforeActor = async () => {};
  references.actors.set(robotId, [{ permissions: ['ADMIN'] }]);
  await rig.rows('truncate signals.action_sets, signals.deleted_projects, signals.outbox cascade');
});

afterAll(() => rig?.stop());

it('the sets of a deleted project are deleted by the actor who deleted it, and those of others stay', async () => {
  const made = [await create('one'), await create('two')];
  const other = await create('one', 'default');
  const event = await deletion({
    ...{ createdBy: 'ann@example.com', createdByUsername: 'ann', createdByUserId: 12 },
    ...{ requestId: randomUUID(), traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
  });
  await deliver(event);

  expect(await list()).toEqual([]);
  expect(await list('default')).toEqual([other]);
  expect(await rig.rows('select distinct action_set_id as id from signals.actions')).toEqual([{ id: other.id }]);
  const { createdBy, createdByUsername, createdByUserId, requestId, traceparent } = event;
  expect(await rig.events('actions-deleted')).toMatchObject(
    made.map((set) => ({
      ...{ project: projectId, data: null, preData: set, requestId, traceparent },
      ...{ createdBy, createdByUsername, createdByUserId },
    })),
  );
});

it('a deletion by no user deletes them as the system', async () => {
  await create('one');
  const event = await deletion({ createdBy: 'ada', createdByUsername: 'ada', createdByUserId: null });
  await deliver(event);
  expect(await rig.events('actions-deleted')).toMatchObject([
    { createdBy: 'ada', createdByUserId: systemUserId, requestId: event.eventId },
  ]);
});

it('the same message again changes nothing, also when the project was made again meanwhile', async () => {
  await create('one');
  const event = await deletion();
  await deliver(event);
  await deliver(event);
  expect(await list()).toEqual([]);
  expect(await rig.events('actions-deleted')).toHaveLength(1);

  references.createdAt.set(projectId, second);
  const again = await create('one');
  await deliver(event);
  expect(await list()).toEqual([again]);
  expect(await rig.events('actions-deleted')).toHaveLength(1);
});

it('a late message deletes the sets of the deleted project, whatever the clocks say', async () => {
  const old = await create('one');
  references.createdAt.set(projectId, second);
  const later = await create('two');
  await deliver(await deletion());
  expect(await list()).toEqual([later]);
  expect((await rig.events('actions-deleted')).map(({ preData }) => preData)).toEqual([old]);
  // The deletion of the later project, by a clock that is behind.
  await deliver(await deletion({ createdAt: '2026-01-03T00:00:00.000Z' }, second));
  expect(await list()).toEqual([]);
});

it('of sets that the previous version saved, a message deletes those from before the deletion', async () => {
  const old = await create('one');
  const event = await deletion();
  // Created in a later millisecond than the event.
  await eventually(async () => expect((await now()) > event.createdAt).toBe(true));
  const later = await create('two');
  await rig.rows('update signals.action_sets set project_created_at = null');
  await deliver(event);
  expect(await list()).toEqual([later]);
  expect((await rig.events('actions-deleted')).map(({ preData }) => preData)).toEqual([old]);
});

it.each([null, 'checked again'])(
  'a set that is saved in a project that was made again belongs to it: %s',
  async (description) => {
    const { id, name, actorId, actions: made, match } = await create('one');
    references.createdAt.set(projectId, second);
    const actions = made.map(({ action, sortOrder, executionParams }) => ({ action, sortOrder, executionParams }));
    const actionSet = { name, actorId, actions, match, description };
    const saved = await rig.ask(contracts.updateActionSet, { projectId, actionSetId: id, actionSet });
    expect(saved.description).toBe(description);
    await deliver(await deletion());
    expect(await list()).toEqual([saved]);
  },
);

it('a set whose creation asked flags before the deletion and commits after it is refused', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  references.beforeActor = () => {
    ask();
    return answered;
  };
  const creation = create('one');
  creation.catch(() => {});
  await asked;
  await deliver(await deletion());
  answer();
  await expect(creation).rejects.toMatchObject({
    code: 'not-found',
    message: 'Could not find the project with ID "shop".',
  });
  expect(await list()).toEqual([]);
  references.createdAt.set(projectId, second);
  expect((await create('one')).name).toBe('one');
});

it('creations that race with a deletion leave no set of the deleted project', async () => {
  for (let round = 1; round <= 5; round += 1) {
    await rig.rows('truncate signals.action_sets cascade');
    const createdAt = `2026-02-0${round}T00:00:00.000Z`;
    references.createdAt.set(projectId, createdAt);
    const deleted = (async () => announce(await deletion({}, createdAt)))();
    const names = ['one', 'two', 'three', 'four', 'five'];
    const results = await Promise.allSettled([...names.map((name) => create(name)), deleted]);
    const codes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(codes.filter((code) => code !== 'not-found')).toEqual([]);
    await rig.service.processAll();
    expect(await rig.rows('select name from signals.action_sets')).toEqual([]);
  }
});

it('racing replicas delete a set once', async () => {
  await Promise.all(['one', 'two', 'three'].map((name) => create(name)));
  const replica = await rig.start();
  try {
    const event = await deletion();
    await Promise.all(Array.from({ length: 20 }, () => announce(event)));
    await Promise.all([rig.service.processAll(), replica.processAll()]);
  } finally {
    await replica.drain();
    await replica.stop();
  }
  expect(await list()).toEqual([]);
  expect(await rig.events('actions-deleted')).toHaveLength(3);
});

it('a set whose creation commits after the deletion of its project is deleted too', async () => {
  const waiting = (kind: string, condition = 'true') =>
    rig.rows(
      `select 1 from pg_locks as requested where not granted and locktype = $1 and ${condition}
        and database = (select oid from pg_database where datname = current_database())`,
      [kind],
    );
  const holdsAdvisory = `exists (
    select 1 from pg_locks as held where held.pid = requested.pid and held.locktype = 'advisory' and held.granted)`;
  await rig.rows('begin');
  let creation: Promise<unknown>;
  try {
    // The creation has inserted its set, and waits until it can append its event.
    await rig.rows('lock table signals.outbox in exclusive mode');
    creation = create('one');
    creation.catch(() => {});
    await eventually(async () => expect(await waiting('relation', holdsAdvisory)).not.toEqual([]));
    await announce(await deletion());
    await eventually(async () => expect(await waiting('advisory')).not.toEqual([]));
  } finally {
    await rig.rows('rollback');
  }
  await creation;
  await rig.service.processAll();
  expect(await list()).toEqual([]);
  expect(await rig.events()).toMatchObject([{ type: 'actions-created' }, { type: 'actions-deleted' }]);
});
