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

const list = async (project = projectId) =>
  (await rig.askMany(contracts.listActionSets, { projectId: project })).flatMap(({ actions }) => actions);

/** The time of the database as in an event. */
const now = async () => (await rig.rows<{ now: Date }>('select clock_timestamp() as now'))[0]!.now.toISOString();

async function deletion(more: Partial<PublishedEvent> = {}): Promise<PublishedEvent> {
  const preData = { id: projectId, createdAt: '2026-01-01T00:00:00.000Z' };
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
  references.actors.set(robotId, [{ permissions: ['ADMIN'] }]);
  await rig.rows('truncate signals.action_sets, signals.outbox cascade');
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

  // Created in a later millisecond than the event.
  await eventually(async () => expect((await now()) > event.createdAt).toBe(true));
  const again = await create('one');
  await deliver(event);
  expect(await list()).toEqual([again]);
  expect(await rig.events('actions-deleted')).toHaveLength(1);
});

it('a late message deletes only the sets from before the deletion', async () => {
  const old = await create('one');
  const event = await deletion();
  await eventually(async () => expect((await now()) > event.createdAt).toBe(true));
  const later = await create('two');
  await deliver(event);
  expect(await list()).toEqual([later]);
  expect((await rig.events('actions-deleted')).map(({ preData }) => preData)).toEqual([old]);
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
      `select 1 from pg_locks as wanted where not granted and locktype = $1 and ${condition}
        and database = (select oid from pg_database where datname = current_database())`,
      [kind],
    );
  const holdsAdvisory = `exists (
    select 1 from pg_locks as held where held.pid = wanted.pid and held.locktype = 'advisory' and held.granted)`;
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
