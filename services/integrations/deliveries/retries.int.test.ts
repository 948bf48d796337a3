// Proves, with real endpoints, how failed attempts are retried. It does not assert the delays (delivery.test.ts does):
// the tests set the times in the tables.
import { longTest } from '@yardarm/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { settledDeliveries } from '../metrics.ts';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';

const run = runningDeliveries();

beforeEach(() => settledDeliveries.reset());

/** What the metric says of the deliveries of the test, by state. */
async function settled(): Promise<Record<string, number>> {
  const { values } = await settledDeliveries.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.state), value]));
}

describe('an attempt that failed', () => {
  it('is made again under the same webhook-id, and its outcome keeps id and time', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(500));
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    const [failed] = await run.rig.outcomes(id);
    expect(failed).toMatchObject({ state: 'failed', stateDetails: 'Webhook request failed with status code: 500' });

    await service.processAll();
    expect(endpoint.calls).toHaveLength(1);
    endpoint.answer = status(200);
    await run.rig.passRetryTime();
    await service.processAll();
    expect(await run.rig.outcomes(id)).toEqual([
      { ...failed, state: 'success', stateDetails: 'Webhook request was successful with status code: 200.' },
    ]);
    expect(new Set(endpoint.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(endpoint.calls.map(({ body }) => body)).size).toBe(1);
    expect(await run.attempts()).toMatchObject([{ status: 500 }, { status: 200 }]);
    expect(await run.deliveries()).toMatchObject([{ state: 'succeeded', attempts: 2 }]);
    expect(await settled()).toEqual({ waiting: 1, succeeded: 1 });
  });

  it('is made ten times and then given up, and the outcome is failed', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(503));
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    for (let attempt = 0; attempt < 12; attempt++) {
      await service.processAll();
      await run.rig.passRetryTime();
    }
    expect(endpoint.calls).toHaveLength(10);
    expect(await run.states()).toEqual(['gave-up']);
    expect(await run.attempts()).toHaveLength(10);
    expect(await run.rig.outcomes(id)).toMatchObject([{ state: 'failed' }]);
    expect(await settled()).toEqual({ waiting: 9, 'gave-up': 1 });
  });

  longTest('waits as long as Retry-After asks', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(429, { 'retry-after': '7200' }));
    await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    const inSeconds = ((await run.deliveries())[0]!.next_attempt_at.getTime() - Date.now()) / 1_000;
    expect(inSeconds).toBeGreaterThan(7_100);
    expect(inSeconds).toBeLessThan(7_200 * 1.1 + 10);
  });

  it('because the connection is refused is reported by its code', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    run.closeEndpoints();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    expect(await run.rig.outcomes(id)).toMatchObject([
      { state: 'failed', stateDetails: 'Webhook request failed with status code: ECONNREFUSED' },
    ]);
    expect(await run.attempts()).toMatchObject([{ status: null, error_code: 'ECONNREFUSED' }]);
  });

  it('because the address is private is explained, and nothing was sent', async () => {
    // The address was allowed when the integration was saved.
    const allowing = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.stop(allowing);
    const service = await run.rig.start({ INTEGRATIONS_ALLOWED_PRIVATE: '' });
    await run.rig.record({});
    await service.processAll();
    expect(endpoint.calls).toEqual([]);
    const [outcome] = await run.rig.outcomes(id);
    expect(outcome).toMatchObject({ state: 'failed' });
    expect(outcome!.stateDetails).toContain('refused and not sent: the address is not a public one');
    expect(await run.states()).toEqual(['waiting']);
  });

  it('keeps the beginning of any answer', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint((response) => response.writeHead(400).end(`no\u0000${'x'.repeat(5_000)}`));
    await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    expect((await run.attempts())[0]!.response_body).toMatch(/^nox{1021}$/);
  });

  it('with 410 disables the integration, by an event of the system, and cancels the remaining deliveries', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint((response, call) =>
      response.writeHead(call.eventId === 2 ? 410 : 500).end(),
    );
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    await run.rig.record({});
    await service.processAll();
    expect(await run.states()).toEqual(['cancelled', 'gave-up']);
    expect((await run.rig.events()).at(-1)).toMatchObject({
      type: 'addon-config-updated',
      createdBy: 'yardarm-system',
      createdByUserId: -1337,
      data: { id, enabled: false },
      preData: { id, enabled: true },
    });
    await run.rig.record({});
    await run.rig.passRetryTime();
    await service.processAll();
    expect(endpoint.calls).toHaveLength(2);
  });

  it('with 410 does not disable an integration that has another endpoint since', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    endpoint.answer = async (response) => {
      await run.rig.update(id, { parameters: { url: `${endpoint.url}/new` } });
      response.writeHead(410).end();
    };
    await run.rig.record({});
    await service.processAll();
    expect(await run.rig.db.kysely.selectFrom('integrations').select('enabled').execute()).toEqual([{ enabled: true }]);
  });
});
