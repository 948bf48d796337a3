// Connections over real sockets, to a public listener with short times: what closes them, and what does not.

import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type NetConnectOpts, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { metrics } from '@yardarm/shared/telemetry';
import { longTest } from '@yardarm/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { lingerAfter } from './connections.ts';
import { createPublicServer, serveApp } from './server.ts';
import { writeInTurns } from './write-in-turns.ts';

const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

/** More than the kernel takes of an answer that is not read. */
const large = Buffer.alloc(30_000_000, 'x');
const small = Buffer.from('ok');
/** A kernel may accept all of it for a client that reads nothing. */
const document = Buffer.alloc(1_500_000, 'x');

/** A request that is not answered yet. */
let held: ServerResponse | undefined;
let begun: string[] = [];

/** Answers by the path. `/held` waits for the test; `/stream` has begun and has nothing to send. */
const app: RequestListener = (request: IncomingMessage, response: ServerResponse) => {
  begun.push(request.url!);
  if (request.url === '/large') response.end(large);
  else if (request.url === '/document') {
    response.writeHead(200, { 'content-length': document.length, connection: 'close' });
    lingerAfter(response);
    writeInTurns(response, document);
  } else if (request.url === '/stream') response.write(small);
  else if (request.url === '/held') held = response;
  else response.end(small);
};

async function serve(options: Parameters<typeof createPublicServer>[0] = {}): Promise<number> {
  begun = [];
  held = undefined;
  const server = createPublicServer(options);
  serveApp(server, app);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Opens a connection that reads nothing until the test does. */
function open(port: number, bytes = '', options: Partial<NetConnectOpts> = {}): Socket {
  const socket = connect({ port, host: '127.0.0.1', ...options } as NetConnectOpts).pause();
  socket.on('error', () => undefined);
  sockets.push(socket);
  if (bytes !== '') socket.write(bytes);
  return socket;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const openAt = (server: Server) =>
  new Promise<number>((resolve, reject) => server.getConnections((error, n) => (error ? reject(error) : resolve(n))));
const untilClosed = () => expect.poll(() => openAt(servers.at(-1)!)).toBe(0);

async function closedBy(reason: string): Promise<number> {
  const { values } = await metrics.getSingleMetric('yardarm_gateway_connections_closed_total')!.get();
  return values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
}

describe('pipelined requests', () => {
  test('more than 16 unanswered ones close the connection, and only the first is begun', async () => {
    const before = await closedBy('pipelined');
    const port = await serve();
    open(port, get('/large').repeat(1_363));
    await expect.poll(() => closedBy('pipelined')).toBe(before + 1);
    await untilClosed();
    expect(begun).toEqual(['/large']);
  });

  test('those that wait for an earlier answer count', async () => {
    const port = await serve();
    const before = await closedBy('pipelined');
    const socket = open(port, get('/held') + get('/').repeat(15));
    await expect.poll(() => held).toBeDefined();
    socket.write(get('/'));
    await expect.poll(() => closedBy('pipelined')).toBe(before + 1);
    await untilClosed();
    expect(begun).toEqual(['/held']);
  });

  test('those after an answer that closes the connection are not begun', async () => {
    const port = await serve();
    const answer = text(open(port, get('/held') + get('/').repeat(2)));
    await expect.poll(() => held).toBeDefined();
    held!.setHeader('connection', 'close').end('held');
    expect((await answer).split('HTTP/1.1 200')).toHaveLength(2);
    expect(begun).toEqual(['/held']);
  });

  test('16 are answered in their order, again and again', async () => {
    const port = await serve();
    const socket = open(port).resume();
    const sixteen = get('/held') + get('/').repeat(14) + get('/last');
    let received = '';
    socket.on('data', (data) => {
      received += data;
    });
    for (let round = 1; round <= 3; round += 1) {
      held = undefined;
      socket.write(sixteen);
      await expect.poll(() => held).toBeDefined();
      held!.end('held');
      await expect.poll(() => received.split('HTTP/1.1 200').length - 1).toBe(16 * round);
    }
    expect(received.indexOf('held')).toBeLessThan(received.indexOf('ok'));
  });

  test('an expectation that is refused counts, and is answered after the requests before it', async () => {
    const port = await serve();
    const refused = 'POST / HTTP/1.1\r\nHost: x\r\nExpect: more\r\nContent-Length: 0\r\n\r\n';
    const socket = open(port, get('/held') + refused);
    const answer = text(socket);
    await expect.poll(() => begun.length).toBe(1);
    held!.end('held');
    const answers = await answer;
    expect(answers).toMatch(/^HTTP\/1.1 200 .*held.*HTTP\/1.1 417 /s);
    const before = await closedBy('pipelined');
    open(port, refused.repeat(17));
    await expect.poll(() => closedBy('pipelined')).toBe(before + 1);
  });
});

test('bytes that are no request are not answered within another answer', async () => {
  const port = await serve();
  const socket = open(port, `${get('/held')}nonsense\r\n\r\n`);
  expect(await text(socket).catch(() => '')).toBe('');
  await untilClosed();
});

describe('an answer that makes no progress', () => {
  // Longer than a client on a busy machine takes to read on.
  const stallTimeoutMs = 600;

  test('closes its connection, also when the client has ended its side', async () => {
    const before = await closedBy('stalled');
    const port = await serve({ stallTimeoutMs });
    open(port, get('/large'));
    open(port, get('/large').repeat(16)).end();
    open(port, get('/stream') + get('/large')).end();
    await expect.poll(() => begun.length).toBe(3);
    await untilClosed();
    // The third has ended with its stream, which cannot go on.
    expect(await closedBy('stalled')).toBe(before + 2);
  });

  longTest('is not one that the client reads slowly, however long it takes', async () => {
    // The pauses together take longer. A busy machine may need several of them until the kernel accepts more.
    const patientMs = 3_000;
    const port = await serve({ stallTimeoutMs: patientMs });
    const socket = open(port, get('/large'));
    let received = 0;
    let allowed = 0;
    let hasEnded = false;
    // A client that read more in one step would read nothing in the next ones.
    socket.on('data', (data) => {
      received += data.length;
      if (received >= allowed) socket.pause();
    });
    socket.once('close', () => {
      hasEnded = true;
    });
    for (let step = 1; step <= 8; step += 1) {
      // The kernel accepts more when a third of its buffer is free, which is up to 4 MB.
      allowed = step * 3_000_000;
      socket.resume();
      await expect.poll(() => hasEnded || received >= allowed).toBe(true);
      await sleep(patientMs / 6);
    }
    expect(hasEnded).toBe(false);
    allowed = Number.POSITIVE_INFINITY;
    socket.resume();
    await expect.poll(() => received).toBeGreaterThan(large.length);
  });

  test('is not a stream that has nothing to send, nor a request without an answer yet', async () => {
    const port = await serve({ stallTimeoutMs });
    const waiting = open(port, get('/held'));
    await expect.poll(() => held).toBeDefined();
    const streaming = open(port, get('/stream'));
    await once(streaming, 'readable');
    // Opened later than the two, so they have waited longer when it is closed.
    open(port, get('/large'));
    await expect.poll(() => begun.length).toBe(3);
    await expect.poll(() => openAt(servers.at(-1)!)).toBe(2);
    held!.end('held');
    expect((await once(waiting.resume(), 'data'))[0].toString()).toContain('held');
  });

  test('nor does a client keep a connection open that the gateway has ended', async () => {
    const port = await serve({ stallTimeoutMs });
    const socket = open(port, 'nonsense\r\n\r\n', { allowHalfOpen: true });
    socket.resume();
    await once(socket, 'end');
    expect(socket.writable).toBe(true);
    await untilClosed();
  });
});

describe('a slow request', () => {
  const times = { headersTimeoutMs: 200, requestTimeoutMs: 400 };
  const post = 'POST / HTTP/1.1\r\nHost: x\r\n';

  test.each([
    ['a connection without a byte', ''],
    ['half a head', 'GET / HTTP/1.1\r\nHost: x\r\nx-slow: '],
    ['half a body of a request without an answer', `${post.replace('/', '/held')}Content-Length: 10\r\n\r\n1`],
  ])('%s is answered with 408 and closed', async (_title, bytes) => {
    const port = await serve(times);
    expect(await text(open(port, bytes))).toMatch(/^HTTP\/1.1 408 /);
    await untilClosed();
  });

  test('a client that sends a byte now and then gets no more time', async () => {
    const port = await serve(times);
    for (const first of ['GET / HTTP/1.1\r\nx-slow: ', `${post}Content-Length: 1000\r\n\r\n`]) {
      const socket = open(port, first).resume();
      const timer = setInterval(() => socket.write('x'), 20);
      await once(socket, 'close');
      clearInterval(timer);
    }
  });

  test('the next request of a connection gets the same time as the first', async () => {
    const port = await serve(times);
    const socket = open(port, `${get('/')}GET / HT`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 .*HTTP\/1.1 408 /s);
  });
});

describe('a limit of connections', () => {
  test('closes further ones without an answer, and accepts one again when one has ended', async () => {
    const before = await closedBy('limit');
    const port = await serve({ connections: 2 });
    const [first] = [open(port, get('/stream')), open(port, get('/stream'))];
    await expect.poll(() => begun.length).toBe(2);
    expect(await text(open(port))).toBe('');
    expect(await closedBy('limit')).toBe(before + 1);
    first.destroy();
    await expect.poll(() => openAt(servers.at(-1)!)).toBe(1);
    expect((await once(open(port, get('/')).resume(), 'data'))[0].toString()).toContain('200 OK');
  });

  test('closes the oldest one without a request instead of one that arrives', async () => {
    const before = await closedBy('limit');
    const port = await serve({ connections: 3 });
    open(port, get('/stream'));
    await expect.poll(() => begun.length).toBe(1);
    const silent = open(port);
    await expect.poll(() => openAt(servers.at(-1)!)).toBe(2);
    const slow = open(port, 'GET / HT');
    await expect.poll(() => openAt(servers.at(-1)!)).toBe(3);
    open(port, get('/stream'));
    expect(await text(silent)).toBe('');
    await expect.poll(() => begun.length).toBe(2);
    open(port, get('/stream'));
    expect(await text(slow)).toBe('');
    await expect.poll(() => begun.length).toBe(3);
    // All of the three have a request without an answer now.
    expect(await text(open(port))).toBe('');
    expect(await closedBy('limit')).toBe(before + 3);
  });

  test('closes the one whose last answer is the longest ago, when none is without a request', async () => {
    const before = await closedBy('limit');
    const port = await serve({ connections: 3 });
    const answered = async (socket: Socket) => {
      await once(socket.resume(), 'data');
      return socket;
    };
    const busy = open(port, get('/stream'));
    await expect.poll(() => begun.length).toBe(1);
    const [used, unused] = [await answered(open(port, get('/'))), await answered(open(port, get('/')))];
    used.write(get('/'));
    await answered(used);
    const first = await answered(open(port, get('/')));
    await expect.poll(() => unused.destroyed).toBe(true);
    await answered(open(port, get('/')));
    await expect.poll(() => used.destroyed).toBe(true);
    expect([busy.destroyed, first.destroyed]).toEqual([false, false]);
    expect(await closedBy('limit')).toBe(before + 2);
  });

  test('counts those of an address that replaced others of it once', async () => {
    const before = await closedBy('address-limit');
    const port = await serve({ connections: 2, perAddress: 3 });
    for (let n = 0; n < 6; n += 1) open(port);
    const last = open(port, get('/'));
    expect((await once(last.resume(), 'data'))[0].toString()).toContain('200 OK');
    expect(await closedBy('address-limit')).toBe(before);
  });

  test('for each address is for all addresses of an IPv6 network', async () => {
    const before = await closedBy('address-limit');
    const port = await serve({ perAddress: 1 });
    // This machine has one IPv6 address at most, so the test names those of its clients.
    const addresses = ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:3::1'];
    servers
      .at(-1)!
      .prependListener('connection', (socket) =>
        Object.defineProperty(socket, 'remoteAddress', { value: addresses.shift() }),
      );
    open(port, get('/'));
    await expect.poll(() => begun.length).toBe(1);
    expect(await text(open(port)).catch(() => '')).toBe('');
    expect(await closedBy('address-limit')).toBe(before + 1);
    open(port, get('/'));
    await expect.poll(() => begun.length).toBe(2);
  });

  test('for each address leaves those of other addresses alone', async () => {
    const before = await closedBy('address-limit');
    const port = await serve({ perAddress: 1 });
    const first = open(port, get('/'));
    await expect.poll(() => begun.length).toBe(1);
    expect(await text(open(port)).catch(() => '')).toBe('');
    expect(await closedBy('address-limit')).toBe(before + 1);
    open(port, get('/'), { localAddress: '127.0.0.2' });
    await expect.poll(() => begun.length).toBe(2);
    first.destroy();
    await expect.poll(() => openAt(servers.at(-1)!)).toBe(1);
    open(port, get('/'));
    await expect.poll(() => begun.length).toBe(3);
  });
});

describe('a document', () => {
  test('is read whole by a client that pipelines, and no request behind it is begun', async () => {
    const port = await serve();
    const socket = open(port, get('/document'));
    for (let n = 0; n < 8; n += 1) {
      await sleep(1);
      socket.write(get('/behind'));
    }
    await sleep(100);
    expect((await text(socket)).split('\r\n\r\n')[1]?.length).toBe(document.length);
    expect(begun).toEqual(['/document']);
    await untilClosed();
  });

  test('counts its connection until the client has read it', async () => {
    const port = await serve({ perAddress: 1 });
    const socket = open(port, get('/document'));
    await expect.poll(() => begun.length).toBe(1);
    await sleep(200);
    expect(await openAt(servers.at(-1)!)).toBe(1);
    expect((await text(socket)).split('\r\n\r\n')[1]?.length).toBe(document.length);
    await untilClosed();
  });

  test('counts its connection until the client stalls', async () => {
    const before = await closedBy('stalled');
    open(await serve({ stallTimeoutMs: 200, perAddress: 1 }), get('/document'));
    await expect.poll(() => begun.length).toBe(1);
    await untilClosed();
    expect(await closedBy('stalled')).toBe(before + 1);
  });
});
