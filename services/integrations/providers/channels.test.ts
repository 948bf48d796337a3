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

test('a request without an answer is the last one, and the next attempt begins with its channel', async () => {
  const asked: string[] = [];
  const publish = (progress: { sent: string[] } | null, answers: Record<string, Call>) =>
    publishToChannels('calls', { channels: ['a', 'b', 'c'], progress, details: {} }, async (channel) => {
      asked.push(channel);
      return answers[channel] ?? succeeded;
    });
  const noAnswer: Call = { ...succeeded, failure: 'failed with status code: ETIMEDOUT', status: null };
  const first = await publish(null, { b: noAnswer });
  expect(first).toMatchObject({ state: 'successWithErrors', next: 'retry', progress: { sent: ['a'] } });
  expect(first.stateDetails).toBe('Some (1 of 3) calls failed. Errors: b failed with status code: ETIMEDOUT');
  expect(await publish(first.progress, {})).toMatchObject({ state: 'success', progress: { sent: ['a', 'b', 'c'] } });
  expect(asked).toEqual(['a', 'b', 'b', 'c']);
});
