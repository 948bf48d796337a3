// Events over a real socket whose client reads, or does not.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { eventually } from '@yardarm/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AnswerWriter, toEvent } from './answer-writer.ts';
import { answersInFlight } from './bytes-in-flight.ts';

let server: Server;
let socket: Socket;
let response: ServerResponse;
let writer: AnswerWriter;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  [, response] = await once(server, 'request');
  writer = new AnswerWriter(response);
});
afterEach(() => {
  socket.destroy();
  server.close();
});

const event = (bytes: number) => toEvent('unleash-updated', '1', Buffer.alloc(bytes, 'x'));

/** Sends events until the stream is broken off, at most 100 MB: much more than the system buffers. */
function sendMuch(): number {
  let sent = 0;
  for (; sent < 1_000 && !response.destroyed; sent += 1) writer.send(event(100_000));
  return sent;
}

test('a client that does not read is broken off when more than 1 MB waits for it', async () => {
  socket.pause();
  writer.send(event(10));
  expect(sendMuch()).toBeLessThan(1_000);
  expect(response.destroyed).toBe(true);
});

test('the first event may be of any size', async () => {
  socket.pause();
  writer.send(event(50_000_000));
  writer.send(event(10));
  expect(response.destroyed).toBe(false);
  sendMuch();
  expect(response.destroyed).toBe(true);
});

test('the first event of a client that does not read counts with all unread answers until the client leaves', async () => {
  socket.pause();
  writer.send(event(50_000_000));
  expect(answersInFlight.bytes).toBe(50_000_000);
  socket.destroy();
  await once(response, 'close');
  expect(answersInFlight.bytes).toBe(0);
});

test('a first event that is read counts no more', async () => {
  writer.send(event(50_000_000));
  expect(answersInFlight.bytes).toBe(50_000_000);
  socket.resume();
  await eventually(() => expect(answersInFlight.bytes).toBe(0));
  expect(response.destroyed).toBe(false);
});

test('a client that reads gets everything and stays', async () => {
  let received = 0;
  socket.on('data', (data) => {
    received += data.length;
  });
  for (let sent = 100_000; sent <= 5_000_000; sent += 100_000) {
    writer.send(event(100_000));
    while (received < sent) await once(socket, 'data');
  }
  const finished = once(response, 'finish');
  writer.end();
  await finished;
  expect([response.writableFinished, socket.destroyed]).toEqual([true, false]);
});

test('the end breaks off a client that does not read', async () => {
  socket.pause();
  writer.send(event(50_000_000));
  const closed = once(response, 'close');
  writer.end();
  await closed;
  expect(response.writableFinished).toBe(false);
});

test('what is sent after the end, while the client still reads the rest, is discarded', async () => {
  socket.pause();
  // A busy machine passes 50 MB on in more than the second that the client has.
  writer.send(event(5_000_000));
  writer.end();
  writer.send(event(10));
  writer.comment();
  socket.resume();
  await once(response, 'close');
  expect([response.errored, response.writableFinished]).toEqual([null, true]);
});
