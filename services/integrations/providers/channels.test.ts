import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Call } from './call.ts';
import { maxChannels, publishToChannels } from './channels.ts';

const succeeded: Call = { failure: null, status: 200, errorCode: null, retryAfter: null, responseBody: 'ok' };
const failed = (retryAfter: string | null): Call => ({ ...succeeded, failure: 'failed', status: 429, retryAfter });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);

test('a message goes to one channel after the other, and to the first ones of too many', async () => {
  let [now, most] = [0, 0];
  const result = await publishToChannels('calls', { channels: numbered(60), progress: null, details: {} }, async () => {
    now += 1;
    most = Math.max(most, now);
    await yieldToEventLoop();
    now -= 1;
    return succeeded;
  });
  expect(most).toBe(1);
  expect(result).toMatchObject({ state: 'success', details: { channels: numbered(maxChannels) } });
  expect(result.progress).toEqual({ sent: numbered(maxChannels) });
});

test.each([
  [['10', 'x', '600'], '600'],
  [['5', new Date(Date.now() + 60_000).toUTCString()], expect.stringContaining('GMT')],
  [[null, '5'], '5'],
  [[null], null],
])('of the waits %j the longest applies', async (waits, longest) => {
  const channels = numbered(waits.length);
  const send = async (channel: string) => failed(waits[channels.indexOf(channel)]!);
  const { retryAfter } = await publishToChannels('calls', { channels, progress: null, details: {} }, send);
  expect(retryAfter).toEqual(longest);
});
