// Proves, with real endpoints, a real bus and Postgres, which integration receives which event and how it is sent.

import { eventSchema } from '@yardarm/shared/contracts/events';
import { longTest } from '@yardarm/testing';
import { describe, expect, it } from 'vitest';
import { findPosition } from '../intake/position.repo.ts';
import { replayRecorded } from '../intake/replay-recorded.ts';
import type { ReceivedCall } from '../testing/receiver.ts';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';

const run = runningDeliveries();

describe('an event that is recorded', () => {
  it('is posted unchanged, with its headers, and its outcome is listed', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(202));
    const { id } = await run.rig.create({ url: `${endpoint.url}/T00?key=1` });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const data = { description: 'grüße \u0000 \u{1F6A2}', nested: { z: 1, a: [null] } };
    const [recorded] = await run.rig.record({ data, traceparent, createdByUsername: 'ada' });
    await service.processAll();

    const event = eventSchema.parse(recorded);
    const [call, ...more] = endpoint.calls;
    expect(more).toEqual([]);
    expect(JSON.parse(call!.body)).toEqual(event);
    expect(call).toMatchObject({
      path: '/hook/T00?key=1',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'yardarm',
        'webhook-id': `evt_${id}_${event.id}`,
        traceparent: expect.stringMatching(/^00-a{32}-(?!b{16})[0-9a-f]{16}-01$/),
      },
    });
    expect(Math.abs(Number(call!.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(30);
    expect(await run.rig.outcomes(id)).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        integrationId: id,
        createdAt: expect.any(String),
        state: 'success',
        stateDetails: 'Webhook request was successful with status code: 202.',
        event,
        details: { url: new URL(endpoint.url).origin, body: call!.body },
      },
    ]);
    expect(await run.attempts()).toMatchObject([{ number: 1, status: 202, error_code: null }]);
  });

  it('is posted through the template, the content type and the headers of the integration', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({
      url: endpoint.url,
      parameters: {
        contentType: 'text/plain',
        authorization: 'Bearer x',
        customHeaders: '{"X-Team":"a"}',
        bodyTemplate: '{{event.type}}: {{{eventMarkdown}}}',
      },
    });
    await run.rig.record({});
    await service.processAll();
    const body = 'feature-created: **ada** created **checkout** in project **default**';
    expect(endpoint.calls).toMatchObject([
      { body, headers: { 'content-type': 'text/plain', authorization: 'Bearer x', 'x-team': 'a' } },
    ]);
    expect(await run.rig.outcomes(id)).toMatchObject([{ details: { body } }]);
  });

  it('goes to the integrations whose filters match, and to no other', async () => {
    const service = await run.rig.start();
    const [all, created, elsewhere] = [await run.startEndpoint(), await run.startEndpoint(), await run.startEndpoint()];
    await run.rig.create({ url: all.url });
    await run.rig.create({ url: created.url, events: ['feature-created'], environments: ['production'] });
    await run.rig.create({ url: elsewhere.url, projects: ['elsewhere'] });
    await run.rig.record(
      { type: 'feature-created' },
      { type: 'feature-archived' },
      { type: 'user-created', project: null },
    );
    await service.processAll();
    const got = ({ calls }: { calls: ReceivedCall[] }) => calls.map(({ eventId }) => eventId).sort();
    expect([got(all), got(created), got(elsewhere)]).toEqual([[1, 2, 3], [1], [3]]);
  });

  it('makes one delivery even if it is replayed', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    await replayRecorded(run.rig.db, 1);
    await service.processAll();
    expect(endpoint.calls).toHaveLength(1);
    expect(await run.rig.outcomes(id)).toHaveLength(1);
  });

  longTest('is delivered after a time in which no integration was enabled', async () => {
    const service = await run.rig.start();
    await run.rig.record({}, {});
    await service.processAll();
    await run.rig.record({});
    await service.processAll();
    expect(await findPosition(run.rig.db.kysely)).toBe(3);
    const endpoint = await run.startEndpoint();
    await run.rig.create({ url: endpoint.url });
    await run.rig.record({}, {});
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([4, 5]);
  });

  longTest('makes one delivery even if the position is lost and the log is read again', async () => {
    const first = await run.rig.start();
    const endpoint = await run.startEndpoint();
    await run.rig.create({ url: endpoint.url });
    await run.rig.record({}, {}, {});
    await first.processAll();
    await run.rig.stop(first);
    await run.rig.db.kysely.updateTable('intake').set({ last_event_id: 0 }).execute();
    await (await run.rig.start()).processAll();
    expect(endpoint.calls).toHaveLength(3);
    expect(await run.deliveries()).toHaveLength(3);
  });
});

describe('an earlier event', () => {
  it('does not go to a new integration', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    await run.rig.record({}, {});
    await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([3]);
  });

  longTest(
    'does not go to an integration that was disabled meanwhile, and neither does a waiting delivery',
    async () => {
      const service = await run.rig.start();
      const endpoint = await run.startEndpoint(status(500));
      const { id } = await run.rig.create({ url: endpoint.url });
      await run.rig.record({});
      await service.processAll();
      expect(await run.states()).toEqual(['waiting']);
      await run.rig.update(id, { enabled: false });
      expect(await run.states()).toEqual(['cancelled']);
      await run.rig.record({}, {});
      await service.processAll();
      await run.rig.update(id, { enabled: true });
      await run.rig.record({});
      await run.rig.passRetryTime();
      await service.processAll();
      expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([1, 4]);
    },
  );

  longTest('does not go, by a replay, to an integration whose filters did not match then', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url, events: ['feature-archived'] });
    await run.rig.record({ type: 'feature-created' }, { type: 'feature-archived' });
    await service.processAll();
    await run.rig.update(id, { events: ['*'] });
    await replayRecorded(run.rig.db, 1);
    await run.rig.record({ type: 'feature-created' });
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([2, 3]);
  });

  longTest('is not retried if the integration was disabled during the send', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    endpoint.answer = async (response) => {
      await run.rig.update(id, { enabled: false });
      response.writeHead(500).end();
    };
    await run.rig.record({});
    await service.processAll();
    expect(await run.states()).toEqual(['cancelled']);
    expect(await run.rig.outcomes(id)).toMatchObject([{ state: 'failed' }]);
  });

  longTest('is not retried if the integration was disabled and enabled again during the send', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    endpoint.answer = async (response) => {
      await run.rig.update(id, { enabled: false });
      await run.rig.update(id, { enabled: true });
      response.writeHead(500).end();
    };
    await run.rig.record({});
    await service.processAll();
    expect(await run.states()).toEqual(['cancelled']);
    expect(await run.rig.outcomes(id)).toMatchObject([{ state: 'failed' }]);
  });

  it('does not go to an integration that was enabled again, even if the intake handles it late', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.update(id, { enabled: false });
    run.rig.head = 5;
    await run.rig.update(id, { enabled: true });
    // An intake that read the integrations before these changes and committed after them would insert these rows.
    await run.rig.db.kysely.insertInto('handled_events').values({ id: 4, event: '{}', traceparent: null }).execute();
    await run.rig.db.kysely
      .insertInto('deliveries')
      .values({ integration_id: id, event_id: 4, ordering_key: 1, claim: null, claimed_until: null, outcome_id: null })
      .execute();
    await service.processAll();
    await run.rig.record({});
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([6]);
  });
});
