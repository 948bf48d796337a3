// Proves, with a real endpoint, that a test sends an event like a real one and stores nothing.
import { eventTypes } from '@yardarm/shared/contracts/events';
import * as contracts from '@yardarm/shared/contracts/integrations';
import { expect, it } from 'vitest';
import { context } from '../testing/integrations-rig.ts';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';

const run = runningDeliveries();
const test = (id: number, from = context()) => run.rig.bus.request(contracts.testIntegration, { id }, from);

it('a harmless event is sent, and the answer is its result', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint(status(202));
  const secret = `whsec_${Buffer.alloc(24).toString('base64')}`;
  const { id } = await run.rig.create({
    url: `${endpoint.url}/a-secret-of-sixteen`,
    parameters: { signingSecret: secret },
  });
  const begun = Date.now();
  const outcome = await test(id);
  const tookMs = Date.now() - begun;
  expect(outcome).toMatchObject({
    state: 'success',
    stateDetails: 'Webhook request was successful with status code: 202.',
    status: 202,
    event: { type: 'addon-config-updated', createdBy: 'root', data: { id, provider: 'webhook', test: true } },
  });
  expect(outcome.durationMs).toBeLessThanOrEqual(tookMs + 1);
  const [call, ...more] = endpoint.calls;
  expect(more).toEqual([]);
  expect(JSON.parse(call!.body)).toEqual(outcome.event);
  expect(call!.headers).toMatchObject({
    'webhook-id': `evt_${id}_${outcome.event.id}`,
    'webhook-signature': expect.stringMatching(/^v1,/),
  });
  expect(JSON.stringify(outcome)).not.toContain('a-secret-of-sixteen');

  // Nothing is stored, and the event uses no id of the log.
  expect(await run.rig.outcomes(id)).toEqual([]);
  expect(await run.deliveries()).toEqual([]);
  expect(outcome.event.id).toBeGreaterThan(1e12);
  await service.processAll();
  expect(endpoint.calls).toHaveLength(1);
});

it('a failure is an answer, also for a disabled integration', async () => {
  await run.rig.start();
  const endpoint = await run.startEndpoint(status(500));
  const { id } = await run.rig.create({ url: endpoint.url, enabled: false });
  expect(await test(id)).toMatchObject({ state: 'failed', status: 500 });
});

it('a template over the limits is an answer, and one with names of JavaScript is filled', async () => {
  await run.rig.start();
  const endpoint = await run.startEndpoint();
  const events = Array.from({ length: 59 }, (_, index) => eventTypes[index]!);
  const nested = `${'{{#event.data.events}}'.repeat(7)}${'{{/event.data.events}}'.repeat(7)}`;
  const costly = await run.rig.create({ url: endpoint.url, events, parameters: { bodyTemplate: nested } });
  expect(await test(costly.id)).toMatchObject({
    state: 'failed',
    stateDetails: expect.stringContaining('the body template takes more than'),
    status: null,
  });
  const bodyTemplate =
    '[{{event.constructor.keys}}{{constructor.keys}}{{event.tags.map}}{{event.__defineGetter__}}{{event.type.at}}]';
  const { id } = await run.rig.create({ url: endpoint.url, parameters: { bodyTemplate } });
  expect(await test(id)).toMatchObject({ state: 'success' });
  expect(endpoint.calls).toMatchObject([{ body: '[]' }]);
});

it('a test does not call a forbidden address', async () => {
  const allowing = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const { id } = await run.rig.create({ url: endpoint.url });
  await run.rig.stop(allowing);
  await run.rig.start({ INTEGRATIONS_ALLOWED_PRIVATE: '' });
  expect(await test(id)).toMatchObject({ state: 'failed', status: null });
  expect(endpoint.calls).toEqual([]);
});

it('an endpoint that hangs is cut off before the caller’s deadline', async () => {
  await run.rig.start();
  const endpoint = await run.startEndpoint(() => undefined);
  const { id } = await run.rig.create({ url: endpoint.url });
  const outcome = await test(id, { ...context(), deadline: Date.now() + 2_000 });
  expect(outcome).toMatchObject({ state: 'failed', stateDetails: expect.stringContaining('aborted') });
});

it('requires the permission and an existing integration', async () => {
  await run.rig.start();
  await expect(test(1)).rejects.toMatchObject({ code: 'not-found' });
  const eve = context({ kind: 'user', id: 5, username: 'eve', grants: [] });
  await expect(test(1, eve)).rejects.toMatchObject({ code: 'no-access' });
});
