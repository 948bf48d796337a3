// Forms of one request that two servers may read as two. A proxy in front that reads them differently would let a
// caller put requests before those of others. None of them reaches a second request here.
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPublicServer, serveApp } from './server.ts';

let server: Server;
let port: number;
let begun: string[];

beforeAll(async () => {
  server = createPublicServer();
  serveApp(server, (request, response) => {
    begun.push(`${request.method} ${request.url}`);
    request.resume().once('end', () => response.end('ok'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  begun = [];
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Sends bytes and reads until the server closes the connection. */
async function send(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.on('error', () => undefined);
  socket.write(bytes, 'latin1');
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  // A reset is an end too: the server may close while it is sent more.
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const start = 'POST /first HTTP/1.1\r\nHost: x\r\n';
const chunked = 'Transfer-Encoding: chunked';
const none = `0\r\n\r\n${smuggled}`;
/** A body that is empty for a server that reads chunks. It has the smuggled request for one that reads by a length. */
const both = (...lines: string[]) => `${start}${lines.join('\r\n')}\r\n\r\n${none}`;
const length = `Content-Length: ${none.length}`;

test.each([
  ['a length and chunks', both(length, chunked)],
  ['chunks and a length', both(chunked, length)],
  ['a length, and chunks after a space', both(length, 'Transfer-Encoding : chunked')],
  ['a length, and chunks after a tab', both(length, 'Transfer-Encoding\t: chunked')],
  ['a length, and an unknown coding', both(length, 'Transfer-Encoding: xchunked')],
  ['an unknown coding', both('Transfer-Encoding: xchunked')],
  ['identity and a length', both('Transfer-Encoding: identity', length)],
  ['chunks before another coding', both('Transfer-Encoding: chunked, identity')],
  ['a coding in two headers', both(chunked, 'Transfer-Encoding: identity')],
  ['a coding in quotes', both('Transfer-Encoding: "chunked"')],
  ['a coding with a control character', both('Transfer-Encoding: \x0bchunked')],
  ['a coding in a folded line', both('Transfer-Encoding:\r\n chunked', length)],
  [
    'a header after a folded line',
    both('x-other: a\r\n Transfer-Encoding: chunked', 'Content-Length: 0', 'Content-Length: 5'),
  ],
  ['two lengths', both('Content-Length: 0', length)],
  ['a list of lengths', both(`Content-Length: 0, ${none.length}`)],
  ['a length with a sign', both('Content-Length: +5')],
  ['a negative length', both('Content-Length: -1')],
  ['a length in hexadecimal', both('Content-Length: 0x5')],
  ['a length beyond 64 bits', both('Content-Length: 18446744073709551616')],
  ['a header name with a blank', both('Content Length: 5', length.replace('-', ' '))],
  ['a header name with a NUL', both('Content-Length\0: 5')],
  ['a bare carriage return in a header', both(`x-other: a\r${chunked}`)],
  ['a size of a chunk with a sign', `${start}${chunked}\r\n\r\n+0\r\n\r\n${smuggled}`],
  ['a size of a chunk in another notation', `${start}${chunked}\r\n\r\n0x0\r\n\r\n${smuggled}`],
  ['a size of a chunk beyond 64 bits', `${start}${chunked}\r\n\r\n10000000000000000\r\n\r\n${smuggled}`],
  ['a chunk that is longer than its size', `${start}${chunked}\r\n\r\n1\r\nab\r\n0\r\n\r\n${smuggled}`],
  ['a line of a chunk that ends with a line feed alone', `${start}${chunked}\r\n\r\n0\n\r\n${smuggled}`],
  ['a head that ends with line feeds alone', `${start.replaceAll('\r', '')}Content-Length: 0\n\n${smuggled}`],
])('%s is refused, and no second request begins', async (_title, bytes) => {
  const text = await send(bytes);
  expect(begun).not.toContain('GET /smuggled');
  expect(text).toMatch(/^(HTTP\/1.1 400 .*)?$/s);
});

test('without these forms, both requests are answered', async () => {
  for (const lines of [chunked, 'Content-Length: 5', 'transfer-encoding: CHUNKED']) {
    begun = [];
    await send(`${start}${lines}\r\n\r\n${none}`);
    expect(begun).toEqual(['POST /first', 'GET /smuggled']);
  }
});

test.each([
  ['many headers', `${start}${'a: b\r\n'.repeat(100_000)}`],
  ['one long header', `${start}a: ${'b'.repeat(1_000_000)}`],
  ['a long name', `${start}${'a'.repeat(1_000_000)}`],
  ['a long path', `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\n`],
  ['many cookies', `${start}${'cookie: a=b\r\n'.repeat(100_000)}`],
])('a flood of %s is refused with 431', async (_title, bytes) => {
  const text = await send(bytes);
  expect(text === '' || /^HTTP\/1.1 431 /.test(text)).toBe(true);
  expect(begun).toEqual([]);
});

test.each([
  ['extensions of chunks', `1;${'a'.repeat(1_000_000)}`],
  ['trailers', `0\r\n${'a: b\r\n'.repeat(100_000)}`],
])('a flood of %s ends the connection', async (_title, bytes) => {
  await send(`${start}${chunked}\r\n\r\n${bytes}`);
  expect(begun).toEqual(['POST /first']);
});
