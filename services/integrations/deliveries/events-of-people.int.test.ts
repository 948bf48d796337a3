// Proves, with real endpoints, that an actor without READ_LOGS sends no event of people to a place of their choice, and
// that a change of the parameters loses no other event.

import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/integrations';
import { casesOfRun, longTest } from '@yardarm/testing';
import { expect, it } from 'vitest';
import { replayRecorded } from '../intake/replay-recorded.ts';
import { admin, context } from '../testing/integrations-rig.ts';
import type { ReceivedCall } from '../testing/receiver.ts';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';
import { mayNotBeSent } from './delivery.ts';

const run = runningDeliveries();

const editor: Actor = {
  ...{ kind: 'user', id: 7, username: 'edith' },
  grants: [{ permissions: ['CREATE_ADDON', 'UPDATE_ADDON'] }],
};

const ofPeople = {
  type: 'user-created',
  project: null,
  featureName: null,
  data: { email: 'ann@example.com' },
} as const;

const typesOf = (calls: ReceivedCall[]) => calls.map(({ body }) => JSON.parse(body).type);

/** An integration of an admin for all events, whose endpoint answers 500, with two deliveries of each kind. */
async function failing() {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint(status(500));
  const { id } = await run.rig.create({ url: endpoint.url });
  await run.rig.record(ofPeople, {}, ofPeople, {});
  await service.processAll();
  expect(await run.states()).toEqual(['waiting', 'waiting', 'waiting', 'waiting']);
  return { service, endpoint, id };
}

const saveBy = (by: Actor, id: number, url: string, over: { enabled?: boolean; events?: string[] } = {}) =>
  run.rig.update(id, { parameters: { url }, events: ['feature-created'], by, ...over });
const redeliverAll = (integrationId: number, by: Actor) =>
  run.rig.bus.request(contracts.redeliverRange, { integrationId, from: 1, to: 1_000, onlyFailed: false }, context(by));
const pause = () =>
  run.rig.db.kysely
    .updateTable('integrations')
    .set({ paused_until: new Date(Date.now() + 60_000) })
    .execute();

it('an Editor who saves another URL and redelivers gets no event of people', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const { id } = await run.rig.create({ url: endpoint.url });
  await run.rig.record(ofPeople, {});
  await service.processAll();
  expect(typesOf(endpoint.calls)).toEqual(['user-created', 'feature-created']);
  const own = await run.startEndpoint();
  expect(await saveBy(editor, id, own.url)).toMatchObject({ maySendEventsOfPeople: false });

  expect(await redeliverAll(id, editor)).toEqual({ redelivered: 1 });
  const [, ofUser] = await run.rig.outcomes(id);
  expect(ofUser).toMatchObject({ state: 'success', event: { type: 'user-created' } });
  const one = run.rig.bus.request(
    contracts.redeliverEvent,
    { integrationId: id, integrationEventId: ofUser!.id },
    context(editor),
  );
  await expect(one).rejects.toMatchObject({ code: 'conflict', message: mayNotBeSent });
  await run.rig.passRetryTime();
  await service.processAll();
  expect(typesOf(own.calls)).toEqual(['feature-created']);
  // Delivered events keep their outcomes.
  expect((await run.rig.outcomes(id))[1]).toEqual(ofUser);
});

it('an Editor who saves another URL gets no pending retry of an event of people, and all others', async () => {
  const { service, id } = await failing();
  const own = await run.startEndpoint();
  await saveBy(editor, id, own.url);
  expect(await run.states()).toEqual(['cancelled', 'waiting', 'cancelled', 'waiting']);
  await run.rig.passRetryTime();
  await service.processAll();
  expect(own.calls.map(({ eventId }) => eventId)).toEqual([2, 4]);
  expect(await run.rig.outcomes(id)).toMatchObject([
    { state: 'success', event: { id: 4 } },
    { state: 'failed', event: { id: 3 }, stateDetails: mayNotBeSent },
    { state: 'success', event: { id: 2 } },
    { state: 'failed', event: { id: 1 }, stateDetails: mayNotBeSent },
  ]);
});

longTest(
  'deliveries without an attempt end with the reason as their outcome, also when the save disables',
  async () => {
    const service = await run.rig.start();
    const { id } = await run.rig.create({ url: 'https://hooks.example' });
    await pause();
    await run.rig.record(ofPeople, {}, ofPeople);
    await service.processAll();
    await saveBy(editor, id, 'https://elsewhere.example', { enabled: false });
    expect(await run.states()).toEqual(['cancelled', 'cancelled', 'cancelled']);
    const outcomes = await run.rig.outcomes(id);
    expect(outcomes).toMatchObject([{ event: { id: 3 } }, { event: { id: 1 } }]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ state: 'failed', stateDetails: mayNotBeSent });
    expect((await run.deliveries()).map(({ position }) => position)).toEqual([1, null, 2]);
  },
);

it('a save that changes only filters keeps pending events of people for the place of the admin', async () => {
  const { service, endpoint, id } = await failing();
  expect(await run.rig.update(id, { events: ['feature-created'], projects: ['default'], by: editor })).toMatchObject({
    maySendEventsOfPeople: true,
  });
  endpoint.answer = status(200);
  endpoint.calls.length = 0;
  await run.rig.passRetryTime();
  await service.processAll();
  expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([1, 2, 3, 4]);
});

it.each(
  casesOfRun(1, [
    ['a template', { bodyTemplate: '{{event.type}}' }],
    ['headers', { customHeaders: '{"x-forward-to":"elsewhere"}' }],
    ['an authorization', { authorization: 'Bearer other' }],
    ['a content type', { contentType: 'text/plain' }],
  ]),
)('a save with %s alone stops events of people too', async (_title, parameters) => {
  const { endpoint, id } = await failing();
  await run.rig.update(id, {
    events: ['feature-created'],
    parameters: { url: endpoint.url, ...parameters },
    by: editor,
  });
  expect(await run.states()).toEqual(['cancelled', 'waiting', 'cancelled', 'waiting']);
});

longTest('an admin who gives the URL of an Editor anew allows events of people again, and can redeliver', async () => {
  const { service, id } = await failing();
  const repaired = await run.startEndpoint();
  await saveBy(editor, id, repaired.url);
  // The flag cannot be set by a client that sends it.
  const answer = await run.rig.bus.request(
    contracts.updateIntegration,
    { ...{ id, provider: 'webhook', enabled: true, events: ['feature-created'] }, ...flagged('*****') } as never,
    context(editor),
  );
  expect(answer).toMatchObject({ maySendEventsOfPeople: false });
  expect(await redeliverAll(id, admin)).toEqual({ redelivered: 2 });
  await service.processAll();
  expect(repaired.calls.map(({ eventId }) => eventId).sort()).toEqual([2, 4]);

  expect(await saveBy(admin, id, '*****')).toMatchObject({ maySendEventsOfPeople: false });
  expect(await saveBy(admin, id, repaired.url)).toMatchObject({ maySendEventsOfPeople: true });
  expect((await run.rig.events()).at(-1)).toMatchObject({
    type: 'addon-config-updated',
    createdBy: 'root',
    data: { maySendEventsOfPeople: true },
    preData: { maySendEventsOfPeople: false },
  });
  expect(await redeliverAll(id, admin)).toEqual({ redelivered: 4 });
  await service.processAll();
  expect(repaired.calls.map(({ eventId }) => eventId).sort()).toEqual([1, 2, 2, 3, 4, 4]);
});

const flagged = (url: string) => ({ parameters: { url }, maySendEventsOfPeople: true });

it('an integration of an Editor is sent no event of people until an admin saves it', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const made = await run.rig.create({ url: endpoint.url, events: ['feature-created'], by: editor });
  expect(made).toMatchObject({ maySendEventsOfPeople: false });
  // A filter that an actor without READ_LOGS cannot choose.
  await run.rig.db.kysely
    .updateTable('integrations')
    .set({ events: ['*'] })
    .execute();
  await run.rig.record(ofPeople, {});
  await service.processAll();
  await run.rig.record(ofPeople, {});
  await replayRecorded(run.rig.db, 1);
  await service.processAll();
  expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([2, 4]);
  expect((await run.deliveries()).map(({ event_id }) => event_id)).toEqual([2, 4]);
  const masked = run.rig.update(made.id, { events: ['*'] });
  await expect(masked).rejects.toMatchObject({ code: 'bad-data', details: [{ path: '.parameters.url' }] });
  await run.rig.update(made.id, { events: ['*'], parameters: { url: endpoint.url } });
  await run.rig.record(ofPeople);
  await service.processAll();
  expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([2, 4, 5]);
});

longTest(
  'an Editor stores no disabled integration for events of people, and an admin who enables one gives its URL',
  async () => {
    const service = await run.rig.start();
    const own = await run.startEndpoint();
    const refused = { code: 'no-access' };
    await expect(run.rig.create({ url: own.url, enabled: false, by: editor })).rejects.toMatchObject(refused);
    const { id } = await run.rig.create({ url: own.url, enabled: false, events: ['feature-created'], by: editor });
    for (const events of [['*'], ['user-*'], ['feature-created', 'user-created']]) {
      await expect(run.rig.update(id, { enabled: false, events, by: editor })).rejects.toMatchObject(refused);
    }
    // The URL of the admin's integration becomes another one while it is disabled.
    const { id: ofAdmin } = await run.rig.create({ url: 'https://hooks.example' });
    await run.rig.update(ofAdmin, { enabled: false, parameters: { url: own.url }, by: editor });
    const enabling = run.rig.update(ofAdmin, { enabled: true });
    await expect(enabling).rejects.toMatchObject({
      code: 'bad-data',
      details: [{ path: '.parameters.url', message: expect.stringContaining('should be sent again unmasked') }],
    });
    expect(await run.rig.update(ofAdmin, { enabled: false, description: 'off' })).toMatchObject({
      maySendEventsOfPeople: false,
    });
    await run.rig.record(ofPeople);
    await service.processAll();
    expect(own.calls).toEqual([]);
    const known = await run.startEndpoint();
    expect(await run.rig.update(ofAdmin, { parameters: { url: known.url } })).toMatchObject({
      enabled: true,
      maySendEventsOfPeople: true,
    });
    await run.rig.record(ofPeople);
    await service.processAll();
    expect([own.calls.length, known.calls.length]).toEqual([0, 1]);
  },
);

longTest(
  'an admin gives anew every secret of an integration that an Editor has changed, and no visible parameter',
  async () => {
    await run.rig.start();
    const { id } = await run.rig.create({ url: 'https://hooks.example', events: ['feature-created'], by: editor });
    const parameters = {
      url: 'https://hooks.example',
      customHeaders: '{"x-forward-to":"elsewhere"}',
      contentType: 'a/b',
    };
    await run.rig.update(id, { events: ['feature-created'], parameters, by: editor });
    const masked = { ...parameters, customHeaders: '*****' };
    await expect(run.rig.update(id, { parameters: masked })).rejects.toMatchObject({
      details: [{ path: '.parameters.customHeaders' }],
    });
    expect(await run.rig.update(id, { parameters })).toMatchObject({ maySendEventsOfPeople: true });
    // Masks of values that an actor with READ_LOGS has stored are kept.
    expect(await run.rig.update(id, { parameters: { ...masked, url: '*****' } })).toMatchObject({
      maySendEventsOfPeople: true,
    });
  },
);

longTest('a send in flight ends at the old URL, and its failure is not repeated at the new one', async () => {
  const service = await run.rig.start();
  let arrived = () => {};
  const isSending = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let fail = () => {};
  const endpoint = await run.startEndpoint((response) => {
    fail = () => response.writeHead(500).end();
    arrived();
  });
  const { id } = await run.rig.create({ url: endpoint.url });
  await run.rig.record(ofPeople);
  await isSending;
  const own = await run.startEndpoint();
  await saveBy(editor, id, own.url);
  expect(await run.states()).toEqual(['sending']);
  fail();
  await service.processAll();
  expect(await run.states()).toEqual(['cancelled']);
  expect(await run.rig.outcomes(id)).toMatchObject([{ state: 'failed', stateDetails: mayNotBeSent }]);
  await run.rig.passRetryTime();
  await service.processAll();
  expect(own.calls).toEqual([]);
});

longTest(
  'a delivery that intake inserts after the save, or that a dead process left, is cancelled by the claim',
  async () => {
    const { service, id } = await failing();
    const own = await run.startEndpoint();
    await saveBy(editor, id, own.url);
    await pause();
    // As intake inserts it if it has read the integration before the save.
    await run.rig.db.kysely
      .updateTable('deliveries')
      .set({ state: 'pending', outcome_id: null, position: null, outcome: null, state_details: null, details: null })
      .set({ outcome_created_at: null })
      .where('event_id', '=', 1)
      .execute();
    await run.rig.db.kysely
      .updateTable('deliveries')
      .set({ state: 'sending', claim: crypto.randomUUID(), claimed_until: new Date(0), next_attempt_at: new Date(0) })
      .where('event_id', '=', 3)
      .execute();
    await run.rig.passRetryTime();
    await service.processAll();
    expect(own.calls.map(({ eventId }) => eventId).sort()).toEqual([2, 4]);
    expect(await run.states()).toEqual(['cancelled', 'succeeded', 'cancelled', 'succeeded']);
    const ofUsers = (await run.rig.outcomes(id)).filter(({ event }) => event.type === 'user-created');
    for (const outcome of ofUsers) expect(outcome).toMatchObject({ state: 'failed', stateDetails: mayNotBeSent });
    expect(ofUsers).toHaveLength(2);
  },
);

it('of events that arrive during a save by an Editor, none of people reaches the URL of the Editor', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const own = await run.startEndpoint();
  const { id } = await run.rig.create({ url: endpoint.url });
  const recorded = run.rig.record(...Array.from({ length: 120 }, (_, n) => (n % 2 === 0 ? ofPeople : {})));
  const saved = saveBy(editor, id, own.url);
  await Promise.all([recorded, saved]);
  await service.processAll();
  await run.rig.passRetryTime();
  await service.processAll();
  expect(new Set(typesOf(own.calls))).not.toContain('user-created');
  // Every event of a flag is delivered, to one of both.
  const delivered = [...endpoint.calls, ...own.calls].filter(({ eventId }) => eventId % 2 === 0);
  expect(new Set(delivered.map(({ eventId }) => eventId)).size).toBe(60);
});

longTest('of saves at once by admins and an Editor, each decides for its own parameters', async () => {
  await run.rig.start();
  const { id } = await run.rig.create({ url: 'https://hooks.example' });
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => saveBy(n % 2 === 0 ? editor : admin, id, `https://hooks.example/${n}`)),
  );
  const [, ...saves] = await run.rig.events();
  expect(saves).toHaveLength(20);
  for (const { createdBy, data } of saves) expect(data?.maySendEventsOfPeople).toBe(createdBy === 'root');
});

longTest('events of flags with odd texts are not taken for events of people', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const { id } = await run.rig.create({ url: endpoint.url });
  await pause();
  await run.rig.record({ data: { type: 'user-created', text: '"type":"user-created"' } }, ofPeople);
  await run.rig.record({ createdBy: '\u0000","type":"user-created"', data: { text: '\u0000' } }, ofPeople);
  await service.processAll();
  await saveBy(editor, id, '*****', {});
  expect(await run.states()).toEqual(['pending', 'pending', 'pending', 'pending']);
  const own = await run.startEndpoint();
  await saveBy(editor, id, own.url);
  expect(await run.states()).toEqual(['pending', 'cancelled', 'pending', 'cancelled']);
  await run.rig.passPause();
  await service.processAll();
  expect(own.calls.map(({ eventId }) => eventId)).toEqual([1, 3]);
});
