// Proves, with real endpoints and replicas, that what was claimed ahead is given back when it is not sent.
import type { ServerResponse } from 'node:http';
import { eventually, longTest } from '@yardarm/testing';
import { expect, test } from 'vitest';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';
import { maxInFlight } from './send-queue.ts';

const run = runningDeliveries();

const count = 400;
const ofOtherFlags = Array.from({ length: count }, (_, n) => ({ featureName: `flag-${n}` }));

const inState = async (state: string) => (await run.states()).filter((one) => one === state).length;

/** An endpoint that answers at once, and after half of the calls not at all. */
async function startHangingEndpoint() {
  const unanswered: ServerResponse[] = [];
  const endpoint = await run.startEndpoint((response) => {
    if (endpoint.calls.length > count / 2) unanswered.push(response);
    else response.end();
  });
  return { endpoint, unanswered };
}

/** Waits until intake has all events and no send is free. */
async function untilHanging(unanswered: readonly ServerResponse[]): Promise<void> {
  await eventually(async () => expect(await run.deliveries()).toHaveLength(count));
  await eventually(() => expect(unanswered).toHaveLength(maxInFlight));
}

longTest(
  'an endpoint that becomes slow keeps the claims of its sends alone, and another replica goes on when it recovers',
  async () => {
    const first = await run.rig.start();
    const { endpoint, unanswered } = await startHangingEndpoint();
    await run.rig.create({ url: endpoint.url });
    await run.rig.record(...ofOtherFlags);
    await untilHanging(unanswered);
    await eventually(async () => expect(await inState('sending')).toBe(maxInFlight));
    endpoint.answer = (response) => response.end();
    const second = await run.rig.start();
    for (const response of unanswered) response.end();
    await Promise.all([first.processAll(), second.processAll()]);
    expect(await inState('succeeded')).toBe(count);
    expect(endpoint.calls).toHaveLength(count);
    expect((await run.deliveries()).every(({ attempts }) => attempts === 1)).toBe(true);
  },
);

longTest(
  'an integration that is disabled gets what is in flight, and nothing that was claimed a second before',
  async () => {
    const service = await run.rig.start();
    const { endpoint, unanswered } = await startHangingEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record(...ofOtherFlags);
    await untilHanging(unanswered);
    await eventually(async () => expect(await inState('sending')).toBe(maxInFlight));
    await run.rig.update(id, { enabled: false });
    for (const response of unanswered) response.end();
    await service.processAll();
    await eventually(async () => expect(await inState('sending')).toBe(0));
    expect(endpoint.calls).toHaveLength(await inState('succeeded'));
    expect(await inState('succeeded')).toBe(count / 2 + maxInFlight);
    expect(await inState('cancelled')).toBe(count - (count / 2 + maxInFlight));
  },
);

test('an endpoint that begins to fail is asked few more times, whatever was claimed ahead', async () => {
  const service = await run.rig.start();
  const endpoint = await run.startEndpoint((response, call) => {
    const code = endpoint.calls.length > count / 2 ? 500 : 200;
    return status(code)(response, call);
  });
  await run.rig.create({ url: endpoint.url });
  await run.rig.record(...ofOtherFlags);
  await service.processAll();
  // Nine failures in a row open the circuit. Those in flight at the ninth fail too.
  expect(endpoint.calls.length - count / 2).toBeLessThanOrEqual(9 + 2 * maxInFlight);
  expect((await run.deliveries()).filter(({ attempts }) => attempts > 0)).toHaveLength(endpoint.calls.length);
});

test('a stop sends nothing that was claimed ahead and leaves it due', async () => {
  const service = await run.rig.start();
  const { endpoint, unanswered } = await startHangingEndpoint();
  await run.rig.create({ url: endpoint.url });
  await run.rig.record(...ofOtherFlags);
  await untilHanging(unanswered);
  const stopped = run.rig.stop(service);
  for (const response of unanswered) response.end();
  await stopped;
  expect(endpoint.calls).toHaveLength(await inState('succeeded'));
  expect(await inState('sending')).toBe(0);
  expect(await inState('pending')).toBe(count - endpoint.calls.length);
});
