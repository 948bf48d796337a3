import { expect, it } from 'vitest';
import { signalIdIn, signalMessageId } from './signal.ts';

it.each([1, 42, 999_999_999_999_999])('the message id of signal %i names it', (id) => {
  expect(signalIdIn(signalMessageId(id))).toBe(id);
});

it.each([
  null,
  '',
  'signal-',
  'signal-0',
  'signal-01',
  'signal-1x',
  ' signal-1',
  'signal-1e3',
  'signal-9999999999999999',
  'evt-1',
])('the message id %j names no signal', (messageId) => {
  expect(signalIdIn(messageId)).toBe(null);
});
