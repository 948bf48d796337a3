// Proves, with real endpoints and several replicas, that a failing endpoint is paused, probed and after days disabled,
// and that slow ones delay only each other.
// circuit.test.ts asserts the length of pauses; the tests set the times in the tables.
import type { ServerResponse } from 'node:http';
import { eventually, longTest } from '@yardarm/testing';
import { describe, expect, it } from 'vitest';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';
import { findOverdueSeconds } from './deliveries.repo.ts';

const run = runningDeliveries();
const many = (count: number) => Array.from({ length: count }, (_, n) => ({ featureName: `flag-${n}` }));
const circuit = () =>
  run.rig.db.kysely
    .selectFrom('integrations')
    .select(['failures', 'failing_since', 'paused_until'])
    .executeTakeFirstOrThrow();

describe('an endpoint that fails', () => {
  it('is paused by every replica after a few sends, and waiting deliveries have used no attempt', async () => {
    const [one, two] = [await run.rig.start(), await run.rig.start()];
    const endpoint = await run.startEndpoint(status(500));
    await run.rig.create({ url: endpoint.url });
    await run.rig.record(...many(40));
    await Promise.all([one.processAll(), two.processAll()]);
    // Nine failures in a row open the circuit, while up to seven more sends are in flight.
    expect(endpoint.calls.length).toBeGreaterThanOrEqual(9);
    expect(endpoint.calls.length).toBeLessThanOrEqual(16);
    expect((await run.deliveries()).filter(({ attempts }) => attempts === 0).length).toBe(40 - endpoint.calls.length);
    const { failures, paused_until: pausedUntil } = await circuit();
    expect(failures).toBe(9);
    expect(pausedUntil!.getTime()).toBeGreaterThan(Date.now());
  });

  it('makes no delivery late: what waits for the end of the pause is due then', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(500));
    await run.rig.create({ url: endpoint.url });
    await run.rig.record(...many(40));
    await service.processAll();
    await run.rig.stop(service);
    const due = { next_attempt_at: new Date(Date.now() - 3_600_000) };
    await run.rig.db.kysely.updateTable('deliveries').set(due).execute();
    expect(await findOverdueSeconds(run.rig.db.kysely)).toBe(0);
    const pause = { paused_until: new Date(Date.now() - 60_000) };
    await run.rig.db.kysely.updateTable('integrations').set(pause).execute();
    const overdue = await findOverdueSeconds(run.rig.db.kysely);
    expect(overdue).toBeGreaterThanOrEqual(60);
    expect(overdue).toBeLessThan(120);
  });

  it('is probed by one delivery after the pause, and gets all deliveries once that succeeds', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(500));
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record(...many(40));
    await service.processAll();
    const before = endpoint.calls.length;
    await run.rig.passPause();
    await service.processAll();
    expect(endpoint.calls).toHaveLength(before + 1);

    endpoint.answer = status(200);
    await run.rig.passRetryTime();
    await service.processAll();
    expect(new Set(await run.states())).toEqual(new Set(['succeeded']));
    expect(await circuit()).toEqual({ failures: 0, failing_since: null, paused_until: null });
    expect(await run.rig.outcomes(id)).toHaveLength(40);
  });

  it('and sends Retry-After is paused at once', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(429, { 'retry-after': '120' }));
    await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    await run.rig.record(...many(10));
    await service.processAll();
    expect(endpoint.calls).toHaveLength(1);
    const { paused_until: pausedUntil } = await circuit();
    expect((pausedUntil!.getTime() - Date.now()) / 1_000).toBeGreaterThan(110);
    expect((pausedUntil!.getTime() - Date.now()) / 1_000).toBeLessThan(140);
  });

  longTest('is sent to at once after its integration changed', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(500));
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record(...many(10));
    await service.processAll();
    endpoint.answer = status(200);
    await run.rig.update(id, { parameters: { url: `${endpoint.url}/repaired` } });
    await run.rig.passRetryTime();
    await service.processAll();
    expect(new Set(await run.states())).toEqual(new Set(['succeeded']));
  });

  it('delays no other', async () => {
    const service = await run.rig.start();
    const [bad, good] = [await run.startEndpoint(status(500)), await run.startEndpoint()];
    await run.rig.create({ url: bad.url });
    await run.rig.create({ url: good.url });
    await run.rig.record(...many(20));
    await service.processAll();
    expect(good.calls).toHaveLength(20);
  });
});

describe('an endpoint that has failed for days without a success', () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

  it('disables its integration, by an event of the system, and cancels the remaining deliveries', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(500));
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({}, { featureName: 'other' });
    await service.processAll();
    await run.rig.db.kysely
      .updateTable('integrations')
      .set({ failing_since: daysAgo(5) })
      .execute();
    await run.rig.passRetryTime();
    await service.processAll();
    expect(new Set(await run.states())).toEqual(new Set(['cancelled']));
    expect((await run.rig.events()).at(-1)).toMatchObject({
      type: 'addon-config-updated',
      createdBy: 'yardarm-system',
      data: { id, enabled: false },
      preData: { id, enabled: true },
    });
  });

  longTest('is not one that has failed for less, or has succeeded in between', async () => {
    const service = await run.rig.start({ INTEGRATIONS_DISABLE_AFTER_DAYS: '2' });
    const endpoint = await run.startEndpoint(status(500));
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    const age = (days: number) =>
      run.rig.db.kysely
        .updateTable('integrations')
        .set({ failing_since: daysAgo(days) })
        .execute();
    await age(1.9);
    await run.rig.passRetryTime();
    await service.processAll();
    await age(3);
    endpoint.answer = status(200);
    await run.rig.passRetryTime();
    await service.processAll();
    endpoint.answer = status(500);
    await run.rig.record({});
    await service.processAll();
    expect((await run.rig.list()).addons).toMatchObject([{ id, enabled: true }]);
    expect((await circuit()).failing_since!.getTime()).toBeGreaterThan(Date.now() - 60_000);
  });
});

longTest('600 endpoints that do not answer delay no delivery to one that does', async () => {
  const service = await run.rig.start();
  const good = await run.startEndpoint();
  await run.rig.create({ url: good.url });
  await run.rig.record({});
  await service.processAll();

  const held: ServerResponse[] = [];
  let isHolding = true;
  const slow = await run.startEndpoint((response) => void (isHolding ? held.push(response) : response.end()));
  await Promise.all(Array.from({ length: 600 }, () => run.rig.create({ url: slow.url })));
  await run.rig.record({});
  await eventually(() => expect(held).toHaveLength(256));
  for (let n = 0; n < 5; n += 1) {
    await run.rig.record({});
    await eventually(() => expect(good.calls).toHaveLength(n + 3), 1_000);
  }
  isHolding = false;
  for (const response of held) response.end();
});

it('a message to several channels is retried for those that did not get it', async () => {
  const asked: string[] = [];
  const slack = await run.startEndpoint((response, { body }) => {
    const { channel } = JSON.parse(body);
    asked.push(channel);
    const isDown = channel === 'b' && asked.length <= 2;
    response.writeHead(200).end(JSON.stringify(isDown ? { ok: false, error: 'fatal_error' } : { ok: true }));
  });
  const service = await run.rig.start({ INTEGRATIONS_SLACK_API_URL: slack.url });
  const { id } = await run.rig.createOf('slack-app', { accessToken: 'xoxb-1', defaultChannels: 'a,b' });
  await run.rig.record({});
  await service.processAll();
  const [some] = await run.rig.outcomes(id);
  expect(some).toMatchObject({ state: 'successWithErrors' });
  expect(some!.stateDetails).toContain('Some (1 of 2) Slack client calls failed');
  await run.rig.passRetryTime();
  await service.processAll();
  expect(asked.toSorted()).toEqual(['a', 'b', 'b']);
  expect(await run.rig.outcomes(id)).toMatchObject([{ id: some!.id, createdAt: some!.createdAt, state: 'success' }]);
});
