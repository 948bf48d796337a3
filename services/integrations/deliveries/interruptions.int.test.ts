// Proves, with processes that are killed or stopped during sends, that no delivery is lost or changed once finished.
import type { ServerResponse } from 'node:http';
import { eventually, longTest } from '@yardarm/testing';
import { describe, expect, it } from 'vitest';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';

const run = runningDeliveries();

describe('a process that ends while it sends', () => {
  it('by SIGKILL leaves the delivery to another: it is sent again and has one outcome', async () => {
    const endpoint = await run.startEndpoint();
    const setUp = await run.rig.start();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.stop(setUp);
    const child = run.rig.startProcess();
    let killed = false;
    endpoint.answer = (response) => {
      // The request has arrived. The answer never will, so no result can be recorded.
      killed = child.kill('SIGKILL');
      child.once('exit', () => response.destroy());
    };
    await run.rig.record({});
    await eventually(() => expect([killed, child.signalCode]).toEqual([true, 'SIGKILL']));
    expect(await run.deliveries()).toMatchObject([{ state: 'sending', attempts: 1, outcome_id: null }]);

    endpoint.answer = status(200);
    const successor = await run.rig.start();
    await successor.processAll();
    // The claim has not expired, so the owner might be alive.
    expect(endpoint.calls).toHaveLength(1);
    await run.rig.passClaimTime();
    await successor.processAll();
    expect(endpoint.calls.map(({ headers }) => headers['webhook-id'])).toEqual([`evt_${id}_1`, `evt_${id}_1`]);
    expect(await run.rig.outcomes(id)).toMatchObject([{ state: 'success' }]);
    expect(await run.attempts()).toMatchObject([
      { number: 1, error_code: 'interrupted' },
      { number: 2, status: 200 },
    ]);
  });

  longTest('by a stop leaves the delivery due at once if the endpoint takes too long', async () => {
    const endpoint = await run.startEndpoint(() => undefined);
    const first = await run.rig.start();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await eventually(() => expect(endpoint.calls).toHaveLength(1));
    const before = performance.now();
    await run.rig.stop(first);
    // A process has ten seconds to stop. The guarded client alone ends such a send after fifteen.
    expect(performance.now() - before).toBeLessThan(9_500);
    const [delivery] = await run.deliveries();
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1, outcome_id: null });
    expect(delivery!.next_attempt_at.getTime()).toBeLessThanOrEqual(Date.now());
    endpoint.answer = status(200);
    await (await run.rig.start()).processAll();
    expect(endpoint.calls).toHaveLength(2);
    expect(await run.rig.outcomes(id)).toMatchObject([{ state: 'success' }]);
  });

  longTest('by a stop between two channels leaves those for the next process that have no message', async () => {
    const asked: string[] = [];
    const slack = await run.startEndpoint((response, { body }) => {
      const { channel } = JSON.parse(body);
      asked.push(channel);
      // The second channel is not answered before the stop.
      if (channel === 'a' || asked.length > 2) response.end('{"ok":true}');
    });
    const first = await run.rig.start({ INTEGRATIONS_SLACK_API_URL: slack.url });
    const { id } = await run.rig.createOf('slack-app', { accessToken: 'xoxb-1', defaultChannels: 'a,b,c' });
    await run.rig.record({});
    await eventually(() => expect(asked).toEqual(['a', 'b']));
    await run.rig.stop(first);
    await (await run.rig.start({ INTEGRATIONS_SLACK_API_URL: slack.url })).processAll();
    expect(asked).toEqual(['a', 'b', 'b', 'c']);
    expect(await run.rig.outcomes(id)).toMatchObject([{ state: 'success' }]);
  });

  it('after its claim expired changes nothing that another has finished', async () => {
    const service = await run.rig.start();
    const unanswered: ServerResponse[] = [];
    const endpoint = await run.startEndpoint((response, call) => {
      if (unanswered.length === 0) unanswered.push(response);
      else status(200)(response, call);
    });
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await eventually(() => expect(unanswered).toHaveLength(1));
    await run.rig.passClaimTime();
    await eventually(async () => expect(await run.states()).toEqual(['succeeded']));
    unanswered[0]!.writeHead(500).end();
    await service.processAll();
    expect(await run.deliveries()).toMatchObject([{ state: 'succeeded', attempts: 2 }]);
    expect(await run.rig.outcomes(id)).toMatchObject([{ state: 'success' }]);
    expect(await run.attempts()).toMatchObject([
      { number: 1, status: 500, error_code: null },
      { number: 2, status: 200 },
    ]);
  });
});

it('an attempt that cannot be stored does not block the others, and is stored later', async () => {
  const service = await run.rig.start();
  const unanswered: { response: ServerResponse; eventId: number }[] = [];
  const endpoint = await run.startEndpoint((response, { eventId }) => void unanswered.push({ response, eventId }));
  await run.rig.create({ url: endpoint.url });
  await run.asOwner('alter table integrations.deliveries add constraint no_299 check (status <> 299)');
  await run.rig.record({ featureName: 'a' }, { featureName: 'b' }, { featureName: 'c' });
  await eventually(() => expect(unanswered).toHaveLength(3));
  for (const { response, eventId } of unanswered) response.writeHead(eventId === 2 ? 299 : 200).end();
  await eventually(async () => expect(await run.states()).toEqual(['succeeded', 'sending', 'succeeded']));
  await run.asOwner('alter table integrations.deliveries drop constraint no_299');
  await service.processAll();
  expect(await run.states()).toEqual(['succeeded', 'succeeded', 'succeeded']);
  expect(endpoint.calls).toHaveLength(3);
});
