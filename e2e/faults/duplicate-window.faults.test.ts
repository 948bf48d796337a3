// The stream drops duplicates within its duplicate window (two minutes). A relay that dies between publish and mark,
// and restarts after the window, publishes the event again as a new message. Then the log has to drop the duplicate.
import { eventually, publishWithoutBus, readWholeStream, setDuplicateWindow } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addHook, readLog, readSubscription, untilDrained } from './collect.ts';
import { reach } from './faults.ts';
import { startWebhookReceiver, type WebhookReceiver } from './receiver.ts';
import { startYardarm, type Yardarm } from './yardarm.ts';

let yardarm: Yardarm;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  yardarm = await startYardarm();
});

afterAll(async () => {
  await yardarm?.stop();
  await receiver?.close();
});

test('an event that is published again after the duplicate window is logged once and delivered once', async () => {
  const hook = await addHook(yardarm, { url: receiver.url, path: '/created', types: ['feature-created'] });
  await untilDrained(yardarm, [hook]);
  const death = reach(yardarm, { name: 'flags: published, not marked', service: 'flags' });
  await yardarm.call('POST', '/api/admin/projects/default/features', { name: 'twice' });
  await death;
  await Promise.all(yardarm.replicas.filter(({ service }) => service === 'flags').map((replica) => replica.stop()));
  // A worker that is killed between sending and settling would rightly send again, so the test waits for the outcome.
  await eventually(async () => expect((await readSubscription(yardarm, hook, [])).outcomes).toHaveLength(1));
  // The shortest window that the server accepts. It applies from the restart and the first publish on. No service may
  // publish first, since it would restore the window.
  const windowMs = 100;
  const { natsUrl } = yardarm.servers;
  await Promise.all(yardarm.replicas.map((replica) => replica.stop()));
  await setDuplicateWindow(natsUrl, 'EVENTS', windowMs);
  await yardarm.servers.crashNats(2 * windowMs, 'kept');
  await publishWithoutBus(natsUrl, 'evt.flags.no-event', {}, 'first');
  await Promise.all(yardarm.replicas.map((replica) => replica.start()));
  await yardarm.untilReady();
  await untilDrained(yardarm, [hook]);

  const published = (await readWholeStream(natsUrl, 'EVENTS')).filter(({ data }) =>
    data.includes('"featureName":"twice"'),
  );
  expect(published).toHaveLength(2);
  expect(published[1]).toEqual(published[0]);
  expect((await readLog(yardarm)).filter(({ featureName }) => featureName === 'twice')).toHaveLength(1);
  expect(receiver.arrivals.map(({ event }) => event.featureName)).toEqual(['twice']);
});
