// Proves, with real endpoints and replicas, the order of one flag's events and the independence of integrations.
import type { ServerResponse } from 'node:http';
import { eventually, longTest } from '@yardarm/testing';
import { describe, expect, it } from 'vitest';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';

const run = runningDeliveries();

describe('order and independence', () => {
  it('events of one flag are sent one after the other, in their order', async () => {
    const service = await run.rig.start();
    const inFlight: string[] = [];
    const overlaps: string[] = [];
    const endpoint = await run.startEndpoint((response, call) => {
      const flag = JSON.parse(call.body).featureName;
      if (inFlight.includes(flag)) overlaps.push(flag);
      inFlight.push(flag);
      setTimeout(() => {
        inFlight.splice(inFlight.indexOf(flag), 1);
        response.end();
      }, Math.random() * 15);
    });
    await run.rig.create({ url: endpoint.url });
    const flags = ['a', 'b', 'c', 'd', 'e'];
    // Runs of one flag, so that its next event is also the next due one.
    await run.rig.record(...Array.from({ length: 50 }, (_, n) => ({ featureName: flags[Math.floor(n / 10)]! })));
    await service.processAll();
    expect(endpoint.calls).toHaveLength(50);
    for (const flag of flags) {
      const ofFlag = endpoint.calls.filter(({ body }) => JSON.parse(body).featureName === flag);
      const ids = ofFlag.map(({ eventId }) => eventId);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    }
    expect(overlaps).toEqual([]);
  });

  it('an event that waits for a retry blocks no newer one of its flag', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint((response, call) =>
      response.writeHead(call.eventId === 1 ? 500 : 200).end(),
    );
    await run.rig.create({ url: endpoint.url });
    await run.rig.record({}, {}, {});
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([1, 2, 3]);
    endpoint.answer = status(200);
    await run.rig.passRetryTime();
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([1, 2, 3, 1]);
    expect(await run.states()).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  longTest('a retry in flight blocks no newer event of its flag either', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(500));
    await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    const unanswered: ServerResponse[] = [];
    endpoint.answer = (response) => unanswered.push(response);
    await run.rig.passRetryTime();
    await eventually(() => expect(unanswered).toHaveLength(1));
    endpoint.answer = status(200);
    await run.rig.record({});
    await eventually(async () => expect(await run.states()).toEqual(['sending', 'succeeded']));
    unanswered[0]!.end();
  });

  it('an endpoint that hangs delays no other', async () => {
    const service = await run.rig.start();
    const unanswered: ServerResponse[] = [];
    const hanging = await run.startEndpoint((response) => unanswered.push(response));
    const quick = await run.startEndpoint();
    await run.rig.create({ url: hanging.url });
    await run.rig.create({ url: quick.url });
    await run.rig.record(...Array.from({ length: 40 }, (_, n) => ({ featureName: `flag-${n}` })));
    await eventually(() => expect(quick.calls).toHaveLength(40));
    await eventually(() => expect(unanswered).toHaveLength(8));
    hanging.answer = (response) => response.end();
    for (const response of unanswered) response.end();
    await service.processAll();
    expect(hanging.calls).toHaveLength(40);
  });

  longTest('a hundred endpoints that hang delay no other', async () => {
    const service = await run.rig.start();
    const unanswered: ServerResponse[] = [];
    const hanging = await run.startEndpoint((response) => unanswered.push(response));
    const quick = await run.startEndpoint();
    for (let n = 0; n < 100; n += 1) await run.rig.create({ url: hanging.url });
    await run.rig.create({ url: quick.url });
    await run.rig.record(...Array.from({ length: 20 }, (_, n) => ({ featureName: `flag-${n}` })));
    await eventually(() => expect(quick.calls).toHaveLength(20));
    hanging.answer = (response) => response.end();
    for (const response of unanswered) response.end();
    await service.processAll();
    expect(hanging.calls).toHaveLength(2_000);
  });

  it('two replicas deliver each event once, and the outcomes have dense positions and rising ids', async () => {
    const [one, two] = [await run.rig.start(), await run.rig.start()];
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record(...Array.from({ length: 60 }, (_, n) => ({ featureName: `flag-${n % 20}` })));
    await eventually(async () => {
      await Promise.all([one.processAll(), two.processAll()]);
      expect(await run.rig.outcomes(id)).toHaveLength(60);
    });
    expect(endpoint.calls).toHaveLength(60);
    const rows = (await run.deliveries()).sort((a, b) => a.outcome_id! - b.outcome_id!);
    expect(rows.map(({ position }) => position)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
  });

  longTest('another replica continues to read when the reading one stops', async () => {
    const [one, two] = [await run.rig.start(), await run.rig.start()];
    const endpoint = await run.startEndpoint();
    await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await one.processAll();
    await run.rig.stop(one);
    await run.rig.record({});
    await two.processAll();
    await eventually(() => expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([1, 2]));
  });
});
