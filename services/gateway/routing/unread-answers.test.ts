import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { collectGarbage } from '@yardarm/testing/garbage';
import { expect, test } from 'vitest';
import { answersInFlight } from './bytes-in-flight.ts';
import { countUntilRead } from './unread-answers.ts';

const toResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

/** Only the response could still refer to the body afterwards. */
function readBody(response: ServerResponse): WeakRef<Buffer> {
  const body = Buffer.alloc(100_000);
  countUntilRead(response, body)();
  return new WeakRef(body);
}

test('an open answer keeps nothing of a body that its client has read', async () => {
  const response = toResponse();
  const body = readBody(response);
  await yieldToEventLoop();
  collectGarbage();
  expect(body.deref() === undefined).toBe(true);
  expect(response.closed).toBe(false);
});

test('a body that is not read counts until its connection is closed', () => {
  const before = answersInFlight.bytes;
  const response = toResponse();
  countUntilRead(response, Buffer.alloc(100_000));
  expect(answersInFlight.bytes).toBe(before + 100_000);
  response.emit('close');
  expect(answersInFlight.bytes).toBe(before);
});
