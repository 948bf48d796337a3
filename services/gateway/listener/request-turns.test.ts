import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { collectGarbage } from '@yardarm/testing/garbage';
import { expect, test } from 'vitest';
import { answerCrowdsInTurns, createCallerOf } from './request-turns.ts';

/** No request gets an answer, as while their bodies are sent slowly. */
const handle = answerCrowdsInTurns(
  () => undefined,
  () => 'a-token',
);

function begin(): { response: ServerResponse; socket: Socket } {
  const socket = new Socket();
  const request = new IncomingMessage(socket);
  request.url = '/waiting';
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  handle(request, response);
  return { response, socket };
}

function beginAndLeave(): WeakRef<ServerResponse> {
  const { response, socket } = begin();
  socket.destroy();
  return new WeakRef(response);
}

test('a request whose client has left is not in memory while those of its caller before it have no answer', async () => {
  const unanswered: unknown[] = [];
  // Beyond those that make a crowd, and the places of their caller in it.
  for (let n = 0; n < 120; n += 1) {
    unanswered.push(begin());
    await yieldToEventLoop();
  }
  const left = Array.from({ length: 100 }, beginAndLeave);
  await yieldToEventLoop();
  await yieldToEventLoop();
  collectGarbage();
  expect(left.filter((response) => response.deref() !== undefined)).toHaveLength(0);
  expect(unanswered).toHaveLength(120);
});

test('all addresses of an IPv6 network are one caller, and those of other networks are others', () => {
  const callerOf = createCallerOf(
    () => true,
    () => null,
  );
  const callerAt = (address: string) => {
    const request = new IncomingMessage(new Socket());
    request.headers['x-forwarded-for'] = address;
    return callerOf(request);
  };
  expect(callerAt('2001:db8:1:2::1')).toBe(callerAt('2001:db8:1:2:ffff::9'));
  expect(callerAt('2001:db8:1:2::1')).not.toBe(callerAt('2001:db8:1:3::1'));
  expect(callerAt('192.0.2.1')).not.toBe(callerAt('192.0.2.2'));
});
