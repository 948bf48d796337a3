// Proves that the installed versions have the internals, and what the start says when a version lacks one. That of the
// NATS client needs a connection: every test with a bus reads it.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import pg from 'pg';
import { expect, test } from 'vitest';
import { encoderOfPg, requireNodeInternals, socketOfNats, socketOfPg } from './index.ts';

async function whileListening(server: Server, run: () => void): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  run();
  server.close();
  await once(server, 'close');
}

test('the installed versions have all of them', async () => {
  expect(encoderOfPg(pg)(['a', null])).toBe('{"a",NULL}');
  expect(socketOfPg(new pg.Client()).connecting).toBe(false);
  const server = createHttpServer();
  await whileListening(server, () => requireNodeInternals(server));
});

const rest = 'an internal that Yardarm needs: install the version that package-lock.json names.';

test.each([
  ['pg 8', 'utils.prepareValue', () => encoderOfPg({ utils: {} })],
  ['pg 8', 'connection.stream', () => socketOfPg({})],
  ['@nats-io/transport-node 3', 'protocol.transport.socket', () => socketOfNats({ protocol: { transport: {} } })],
])('%s without %s is named with its version', (library, path, read) => {
  const [name, major] = library.split(' ');
  expect(read).toThrow(new RegExp(`^${name} ${major}\\.\\d+\\.\\d+ has no ${path}, ${rest}$`));
});

test('a Node without the parser of a connection is named with its version', async () => {
  // A server of plain connections makes no parser.
  const server = createServer();
  const { node } = process.versions;
  const sentence = `node ${node} has no parser.onIncoming, ${rest}`;
  await whileListening(server, () => expect(() => requireNodeInternals(server)).toThrow(sentence));
  expect(() => requireNodeInternals(createServer())).toThrow(`node ${node} has no _handle.bytesWritten`);
});
