// The stream drops a message that it has seen within its duplicate window (two minutes). A relay that dies between publish and mark, and
// comes back after that, publishes once more what the stream no longer knows: then it is the log that has to know.
import { eventually, publishPastTheBus, readWholeStream, setDuplicateWindow } from '@yardarm/testing';
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

test('an event that is published again after the duplicate window is in the log once, and delivered once', async () => {
  const hook = await addHook(yardarm, { url: receiver.url, path: '/created', types: ['feature-created'] });
  await untilDrained(yardarm, [hook]);
  const dead = reach(yardarm, { name: 'flags: published, not marked', service: 'flags' });
  await yardarm.call('POST', '/api/admin/projects/default/features', { name: 'twice' });
  await dead;
  await Promise.all(yardarm.replicas.filter(({ service }) => service === 'flags').map((replica) => replica.stop()));
  // Whoever is killed between sending and recording sends again, and rightly.
  await eventually(async () => expect((await readSubscription(yardarm, hook, [])).outcomes).toHaveLength(1));
  // The shortest window that the server takes. It counts from its restart on, for whoever publishes first: a service would set it right.
  const windowMs = 100;
  const { natsUrl } = yardarm.servers;
  await Promise.all(yardarm.replicas.map((replica) => replica.stop()));
  await setDuplicateWindow(natsUrl, 'EVENTS', windowMs);
  await yardarm.servers.crashNats(2 * windowMs, 'kept');
  await publishPastTheBus(natsUrl, 'evt.flags.no-event', {}, 'first');
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
