// Proves that a setting is felt in time although accounts ends with a request unanswered.
import { eventually, startTestNats } from '@yardarm/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connectBus } from '../bus/index.ts';
import { keepingLogger } from '../bus/testing/bus-rig.ts';
import { defaultSettings, getSettings } from '../contracts/settings.ts';
import { followSettings } from './follow-settings.ts';

test('a setting is felt within 2 s also when the request before it gets no answer', async () => {
  const nats = await startTestNats();
  const { log } = keepingLogger();
  const connectTest = () => connectBus({ url: nats.url, name: 'test', prefix: '', log });
  const [accounts, service] = [await connectTest(), await connectTest()];
  const lost = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<never>();
  let asked = 0;
  accounts.serve(getSettings, async () => {
    asked += 1;
    if (asked === 1) return defaultSettings;
    if (asked > 2) return { ...defaultSettings, maintenanceMode: true };
    lost.resolve();
    return ended.promise;
  });
  await accounts.flush();
  const settings = followSettings(service, log);
  onTestFinished(async () => {
    settings.stop();
    ended.reject(new Error('the test has ended'));
    await Promise.all([accounts.drain(), service.drain()]);
    await nats.remove();
  });
  await settings.asked;
  await lost.promise;
  await eventually(() => expect(settings.current().maintenanceMode).toBe(true), 2_000);
});
