// Proves, with real endpoints, that succeeded, given up and cancelled deliveries can be sent again, alone or by range.
import * as contracts from '@yardarm/shared/contracts/integrations';
import { sql } from '@yardarm/shared/db';
import { eventually, longTest } from '@yardarm/testing';
import { describe, expect, it } from 'vitest';
import { context } from '../testing/integrations-rig.ts';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';

const run = runningDeliveries();

const redeliver = (integrationId: number, integrationEventId: string) =>
  run.rig.bus.request(contracts.redeliverEvent, { integrationId, integrationEventId }, context());
const redeliverRange = (integrationId: number, from: number, to: number, onlyFailed = false) =>
  run.rig.bus.request(contracts.redeliverRange, { integrationId, from, to, onlyFailed }, context());
const countRange = (integrationId: number, from: number, to: number, onlyFailed = false) =>
  run.rig.bus.request(contracts.countRedeliverable, { integrationId, from, to, onlyFailed }, context());
const attemptsOf = (integrationId: number, integrationEventId: string) =>
  run.rig.bus.request(contracts.listDeliveryAttempts, { integrationId, integrationEventId }, context());

const pause = () =>
  run.rig.db.kysely
    .updateTable('integrations')
    .set({ paused_until: new Date(Date.now() + 60_000) })
    .execute();

describe('one integration event', () => {
  it('that succeeded is sent again under the same webhook-id, and stays the same integration event', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    const [before] = await run.rig.outcomes(id);
    expect(await redeliver(id, before!.id)).toEqual({ redelivered: 1 });
    await service.processAll();
    expect(endpoint.calls.map(({ headers }) => headers['webhook-id'])).toEqual([`evt_${id}_1`, `evt_${id}_1`]);
    expect(await run.rig.outcomes(id)).toEqual([before]);
    expect(await attemptsOf(id, before!.id)).toMatchObject({
      attempts: [
        { number: 2, status: 200, errorCode: null },
        { number: 1, status: 200, errorCode: null },
      ],
    });
  });

  longTest('that was given up gets ten more attempts', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(500));
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    const nextAttempt = async () => {
      const [outcome] = await run.rig.outcomes(id);
      return (await attemptsOf(id, outcome!.id)).nextAttemptAt;
    };
    expect(Date.parse((await nextAttempt())!)).toBeGreaterThan(Date.now());
    const exhaust = async () => {
      for (let attempt = 0; attempt < 12; attempt++) {
        await run.rig.passRetryTime();
        await service.processAll();
      }
    };
    await exhaust();
    expect(await run.states()).toEqual(['gave-up']);
    expect(await nextAttempt()).toBeNull();
    const [outcome] = await run.rig.outcomes(id);
    await redeliver(id, outcome!.id);
    await exhaust();
    expect(endpoint.calls).toHaveLength(20);
    expect(await run.states()).toEqual(['gave-up']);
  });

  it('is not found by an invalid id, or for another integration', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    const { id: other } = await run.rig.create({ url: endpoint.url, events: ['user-created'] });
    await run.rig.record({});
    await service.processAll();
    const [outcome] = await run.rig.outcomes(id);
    for (const [integration, event] of [
      [id, '0'],
      [id, 'x'],
      [id, '9'.repeat(30)],
      [other, outcome!.id],
      [4_711, outcome!.id],
    ] as const) {
      await expect(redeliver(integration, event)).rejects.toMatchObject({ code: 'not-found' });
      await expect(attemptsOf(integration, event)).rejects.toMatchObject({ code: 'not-found' });
    }
    expect(endpoint.calls).toHaveLength(1);
  });

  longTest(
    'is refused while the integration is disabled, and sent once it is enabled, although it is older',
    async () => {
      const service = await run.rig.start();
      const endpoint = await run.startEndpoint(status(500));
      const { id } = await run.rig.create({ url: endpoint.url });
      await run.rig.record({});
      await service.processAll();
      const [outcome] = await run.rig.outcomes(id);
      await run.rig.update(id, { enabled: false });
      await expect(redeliver(id, outcome!.id)).rejects.toMatchObject({ code: 'conflict' });
      await run.rig.update(id, { enabled: true });
      endpoint.answer = status(200);
      await redeliver(id, outcome!.id);
      await service.processAll();
      expect(endpoint.calls).toHaveLength(2);
      expect(await run.rig.outcomes(id)).toMatchObject([{ id: outcome!.id, state: 'success' }]);
    },
  );
});

describe('a range', () => {
  it('is sent again, both ends included, all of it or failed events only', async () => {
    const service = await run.rig.start();
    // The third answers 410. That disables the integration and cancels the deliveries behind it. An event that was not
    // read before would have no delivery.
    const endpoint = await run.startEndpoint(async (response, { eventId }) => {
      if (eventId === 3) await eventually(async () => expect(await run.states()).toHaveLength(5));
      response.writeHead(eventId === 3 ? 410 : 200).end();
    });
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({}, {}, {}, {}, {});
    await service.processAll();
    await run.rig.update(id, { enabled: true });
    endpoint.answer = status(200);
    endpoint.calls.length = 0;

    expect(await countRange(id, 2, 4)).toEqual({ redeliverable: 3 });
    expect(await countRange(id, 2, 4, true)).toEqual({ redeliverable: 2 });
    expect(await redeliverRange(id, 2, 4, true)).toEqual({ redelivered: 2 });
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([3, 4]);
    expect(await redeliverRange(id, 1, 2)).toEqual({ redelivered: 2 });
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([3, 4, 1, 2]);
    expect(await run.states()).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded', 'cancelled']);
  });

  it('contains no event that the filters exclude or that precedes the integration', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    await run.rig.record({}, {});
    const { id } = await run.rig.create({ url: endpoint.url, events: ['feature-created'] });
    await run.rig.record({}, { type: 'feature-archived' });
    await service.processAll();
    expect(await redeliverRange(id, 1, 1_000)).toEqual({ redelivered: 1 });
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([3, 3]);
  });

  longTest('of events that were cancelled before an attempt keeps the order of their flag', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    await pause();
    await run.rig.record(...Array.from({ length: 6 }, () => ({})));
    await service.processAll();
    await run.rig.update(id, { enabled: false });
    await run.rig.update(id, { enabled: true });
    expect(new Set(await run.states())).toEqual(new Set(['cancelled']));
    expect(await redeliverRange(id, 1, 6)).toEqual({ redelivered: 6 });
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('of more than ten thousand is refused, and so is one with reversed ends', async () => {
    await run.rig.start();
    const { id } = await run.rig.create({ url: 'https://hooks.example' });
    await sql`
      insert into deliveries (integration_id, event_id, state)
      select ${id}, event_id, 'cancelled' from generate_series(1, 10001) as event_id`.execute(run.rig.db.kysely);
    await expect(redeliverRange(id, 1, 20_000)).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('The range holds 10001 deliveries; at most 10000'),
    });
    expect(await countRange(id, 1, 20_000)).toEqual({ redeliverable: 10_001 });
    await expect(countRange(id + 1, 1, 2)).rejects.toMatchObject({ code: 'not-found' });
    await expect(redeliverRange(id, 2, 1)).rejects.toMatchObject({ code: 'validation' });
  });

  it('that twenty requests name at once is sent once', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({ featureName: 'a' }, { featureName: 'b' });
    await service.processAll();
    // Nothing is claimed during the pause, so all twenty requests find the same states.
    await pause();
    const asked = await Promise.all(Array.from({ length: 20 }, () => redeliverRange(id, 1, 2)));
    expect(asked.every(({ redelivered }) => redelivered === 2)).toBe(true);
    await run.rig.passPause();
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId).sort()).toEqual([1, 1, 2, 2]);
  });
});

longTest('a redelivery without an earlier attempt precedes all newer events, however many', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint();
  const { id } = await run.rig.create({ url: endpoint.url });
  await pause();
  await run.rig.record(...Array.from({ length: 10 }, () => ({})));
  await eventually(async () => expect(await run.states()).toHaveLength(10));
  await run.rig.update(id, { enabled: false });
  await run.rig.update(id, { enabled: true });
  await pause();
  // More deliveries of the one flag than one claim reads.
  await run.rig.record(...Array.from({ length: 260 }, () => ({})));
  await eventually(async () => expect(await run.states()).toHaveLength(270));
  expect(await redeliverRange(id, 1, 10)).toEqual({ redelivered: 10 });
  await run.rig.passPause();
  await service.processAll();
  expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual(Array.from({ length: 270 }, (_, n) => n + 1));
});
