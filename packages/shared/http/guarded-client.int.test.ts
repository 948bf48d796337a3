// Proves, with real sockets, what the guarded client refuses, limits and returns. A stub resolves the names.
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createLogger } from '../log/index.ts';
import { createGuardedClient, type OutgoingRequest } from './guarded-client.ts';
import { OutgoingFailed, OutgoingRefused } from './outgoing-errors.ts';
import type { Address } from './resolve.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const closing: (() => unknown)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const answering = (handler: RequestListener) => listen(createServer(handler));

function clientWith(allowedPrivate: string[], names: Record<string, string[] | (() => string[])> = {}) {
  const lookups: string[] = [];
  const client = createGuardedClient({
    allowedPrivate,
    log,
    resolve: async (hostname) => {
      lookups.push(hostname);
      const known = names[hostname] ?? [];
      const addresses = typeof known === 'function' ? known() : known;
      return addresses.map((address): Address => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  });
  return {
    lookups,
    post: (url: string, rest: Partial<OutgoingRequest> = {}) =>
      client.send({ url, method: 'POST', headers: {}, body: '{}', ...rest }),
  };
}

const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => {
      throw new Error('was answered');
    },
    (error: Error) => error,
  );

describe('refuses, even if a server listens there,', () => {
  const literals = [
    ...[
      '127.0.0.1',
      '2130706433',
      '0x7f000001',
      '017700000001',
      '127.1',
      '127.0.1',
      '0177.0.0.1',
      '0x7f.1',
      '127.0.0.1.',
    ],
    ...[
      '%31%32%37.0.0.1',
      '127。0。0。1',
      '①②⑦.0.0.1',
      '127.255.255.254',
      '0.0.0.0',
      '0',
      '0.1.2.3',
      '255.255.255.255',
    ],
    ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '100.100.100.200', '169.254.169.254'],
    ...[
      '168.63.129.16',
      '192.0.0.192',
      '192.0.2.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '224.0.0.1',
      '240.0.0.1',
    ],
    ...[
      '[::1]',
      '[::]',
      '[0:0:0:0:0:0:0:1]',
      '[::127.0.0.1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::ffff:10.0.0.1]',
    ],
    ...['[::ffff:0:127.0.0.1]', '[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]', '[ff02::1]', '[100::1]'],
    ...['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]'],
    ...['[2001:0:7f00:1::]', '[2001:db8::1]', '[5f00::1]', '[4000::1]'],
  ];
  it.each(literals)('the literal %s', async (literal) => {
    const port = await answering((_request, response) => response.end());
    // An allowed port of the same machine opens no other port.
    for (const allowed of [[], ['127.0.0.1:1', '[::/0]:1', '0.0.0.0/0:1', 'localhost:1']]) {
      const error = await failure(clientWith(allowed).post(`http://${literal}:${port}/`));
      expect(error).toBeInstanceOf(OutgoingRefused);
    }
  });

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.localhost.'])(
    'the name %s, without a resolver',
    async (name) => {
      const port = await answering((_request, response) => response.end());
      const { post, lookups } = clientWith([], { [name]: ['93.184.216.34'] });
      expect(await failure(post(`http://${name}:${port}/`))).toBeInstanceOf(OutgoingRefused);
      expect(lookups).toEqual([]);
    },
  );

  it.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['::1'],
    ['fd00::1'],
    ['::ffff:169.254.169.254'],
    ['93.184.216.34', '127.0.0.1'],
    ['::7f00:1'],
  ])('a name that resolves to %s %s', async (...addresses) => {
    const port = await answering((_request, response) => response.end());
    const { post } = clientWith([], { 'hooks.example': addresses });
    const error = await failure(post(`http://hooks.example:${port}/`));
    expect(error).toBeInstanceOf(OutgoingRefused);
    for (const address of addresses) expect(error.message).not.toContain(address);
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com',
    'data:,x',
    'nonsense',
    '',
    'http://',
    'http://u:p@example.com/',
    'https://u@example.com',
  ])('the URL %s', async (url) => {
    expect(await failure(clientWith([]).post(url))).toBeInstanceOf(OutgoingRefused);
  });

  it.each([
    { 'x-a': 'b\r\nx-c: d' },
    { 'x a': 'b' },
    { 'x-a': 'b\u0000' },
    { 'x-a': 'ü€' },
    { '': 'b' },
    { Host: 'metadata' },
    { 'transfer-encoding': 'chunked' },
  ])('the headers %o', async (headers) => {
    const port = await answering((_request, response) => response.end());
    const error = await failure(
      clientWith(['127.0.0.1']).post(`http://127.0.0.1:${port}/`, {
        headers: headers as unknown as Record<string, string>,
      }),
    );
    expect(error).toBeInstanceOf(OutgoingRefused);
  });
});

describe('connects to the address that was checked', () => {
  it('with one lookup, when the address of the name changes', async () => {
    const port = await answering((_request, response) => response.end());
    const answers = [['192.0.2.1'], ['127.0.0.1']];
    // The first address is on the operator's list and has no server. The second is that of a rebinding attack.
    const { post, lookups } = clientWith(['192.0.2.0/24'], { 'rebinding.example': () => answers.shift() ?? [] });
    const error = await failure(post(`http://rebinding.example:${port}/`, { timeouts: { connectMs: 150 } }));
    expect(error).toBeInstanceOf(OutgoingFailed);
    expect(lookups).toEqual(['rebinding.example']);
  });

  it('and leaves out addresses that are not on the list when another is', async () => {
    const port = await answering((_request, response) => response.end('here'));
    const { post } = clientWith(['127.0.0.1'], { 'mixed.example': ['::1', '127.0.0.1'] });
    expect((await post(`http://mixed.example:${port}/`)).body).toBe('here');
  });
});

describe('allows what is on the list of the operator:', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.0/8', '127.0.0.1'],
    ['127.0.0.1', '[::ffff:127.0.0.1]'],
    ['127.0.0.1', 'localhost'],
    ['localhost', 'LOCALHOST.'],
    ['Hooks.Example.', 'hooks.example'],
    ['127.0.0.0/8', 'hooks.example'],
  ])('%s for %s', async (entry, host) => {
    const port = await answering((_request, response) => response.end('ok'));
    const { post } = clientWith([entry, 'fd00::/8', '10.0.0.0/8'], { 'hooks.example': ['127.0.0.1'] });
    expect((await post(`http://${host}:${port}/`)).status).toBe(200);
  });

  it('a name, but not the address under another name', async () => {
    const port = await answering((_request, response) => response.end('ok'));
    const { post } = clientWith(['hooks.example'], { 'hooks.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] });
    expect((await post(`http://hooks.example:${port}/`)).status).toBe(200);
    expect(await failure(post(`http://other.example:${port}/`))).toBeInstanceOf(OutgoingRefused);
    expect(await failure(post(`http://127.0.0.1:${port}/`))).toBeInstanceOf(OutgoingRefused);
  });

  it.each(['hooks.example', '127.0.0.1', '127.0.0.0/8'])('%s on the port of the entry alone', async (entry) => {
    const [port, other] = await Promise.all([1, 2].map(() => answering((_request, response) => response.end('ok'))));
    const { post } = clientWith([`${entry}:${port}`], { 'hooks.example': ['127.0.0.1'] });
    expect((await post(`http://hooks.example:${port}/`)).status).toBe(200);
    expect(await failure(post(`http://hooks.example:${other}/`))).toBeInstanceOf(OutgoingRefused);
  });

  it.each([
    ['http', 80],
    ['https', 443],
  ])("%s's own port when the URL has none", async (protocol, port) => {
    const sent = (entry: string) =>
      failure(clientWith([entry]).post(`${protocol}://192.0.2.1/`, { timeouts: { connectMs: 150 } }));
    expect(await sent(`192.0.2.1:${port}`)).toBeInstanceOf(OutgoingFailed);
    expect(await sent('192.0.2.1:8080')).toBeInstanceOf(OutgoingRefused);
  });

  it('nothing when an entry of the list is faulty', () => {
    expect(() => createGuardedClient({ allowedPrivate: ['10.0.0.0/33'], log })).toThrow('10.0.0.0/33 is not a CIDR');
  });
});

describe('an answer', () => {
  const localPost = (port: number, rest: Partial<OutgoingRequest> = {}) =>
    clientWith(['127.0.0.1']).post(`http://127.0.0.1:${port}/`, rest);

  it('has status, headers and body, and the endpoint gets what was sent', async () => {
    let received: unknown;
    const port = await answering((request, response) => {
      request.setEncoding('utf8').on('data', (body) => {
        received = {
          method: request.method,
          body,
          length: request.headers['content-length'],
          custom: request.headers['x-a'],
          coding: request.headers['accept-encoding'],
        };
        response.writeHead(202, { 'retry-after': '7' }).end('grüße');
      });
    });
    const answer = await localPost(port, { body: 'ä', headers: { 'X-A': 'b' } });
    expect(answer).toMatchObject({ status: 202, headers: { 'retry-after': '7' }, body: 'grüße', bodyTruncated: false });
    expect(received).toEqual({ method: 'POST', body: 'ä', length: '2', custom: 'b', coding: 'identity' });
  });

  it.each([301, 302, 307, 308])('of %i is the answer: the redirect is not followed', async (status) => {
    let calls = 0;
    const port = await answering((_request, response) => {
      calls += 1;
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect((await localPost(port)).status).toBe(status);
    expect(calls).toBe(1);
  });

  it('is read up to 64 kB, and an endless one is truncated', async () => {
    let written = 0;
    const port = await answering((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) written += 16_384;
        response.once('drain', more);
      };
      more();
    });
    const answer = await localPost(port);
    expect(answer.body.length).toBe(65_536);
    expect(answer.bodyTruncated).toBe(true);
    // The buffers of the sockets hold more than 64 kB, but not the endless rest.
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  it('in chunks of a few bytes is read in their order', async () => {
    const numbers = Array.from({ length: 2_000 }, (_, n) => `${n};`);
    const port = await answering((_request, response) => {
      for (const number of numbers) response.write(number);
      response.end();
    });
    expect(await localPost(port)).toMatchObject({ body: numbers.join(''), bodyTruncated: false });
  });

  it('that is compressed is not decompressed, so that a zip bomb does no harm', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
    const port = await answering((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const answer = await localPost(port);
    expect(answer.status).toBe(200);
    expect(answer.body.length).toBeLessThanOrEqual(65_536);
  });

  it('whose body is endless or breaks off keeps its status', async () => {
    const slow = await answering((_request, response) => {
      response.writeHead(200).write('begun');
    });
    expect(await localPost(slow, { timeouts: { wholeMs: 150 } })).toMatchObject({
      status: 200,
      body: 'begun',
      bodyTruncated: true,
    });
    const broken = await answering((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('begun', () => response.socket?.resetAndDestroy());
    });
    expect(await localPost(broken)).toMatchObject({ status: 200, bodyTruncated: true });
  });
});

describe('an idle connection', () => {
  const connectionsOf = (server: Server) => {
    let count = 0;
    server.on('connection', () => (count += 1));
    return () => count;
  };

  it('is used for the next call, unless the name has another address', async () => {
    const server = createServer((_request, response) => response.end());
    const connections = connectionsOf(server);
    const port = await listen(server);
    let addresses = ['127.0.0.1'];
    const { post } = clientWith(['127.0.0.1', '192.0.2.1'], { 'moving.example': () => addresses });
    for (let n = 0; n < 3; n += 1) expect((await post(`http://moving.example:${port}/`)).status).toBe(200);
    expect(connections()).toBe(1);
    addresses = ['192.0.2.1'];
    const error = await failure(post(`http://moving.example:${port}/`, { timeouts: { connectMs: 150 } }));
    expect(error).toBeInstanceOf(OutgoingFailed);
    addresses = ['10.0.0.1'];
    expect(await failure(post(`http://moving.example:${port}/`))).toBeInstanceOf(OutgoingRefused);
  });

  it('that the endpoint closes as it is reused does not fail the call', async () => {
    const used = new WeakSet<object>();
    const server = createServer((request, response) => {
      if (used.has(request.socket)) request.socket.resetAndDestroy();
      used.add(request.socket);
      response.end('ok');
    });
    const connections = connectionsOf(server);
    const port = await listen(server);
    const { post } = clientWith(['127.0.0.1']);
    for (let n = 0; n < 2; n += 1) expect((await post(`http://127.0.0.1:${port}/`)).body).toBe('ok');
    expect(connections()).toBe(2);
  });

  it('does not remain after a truncated answer', async () => {
    const server = createServer((_request, response) => response.end('x'.repeat(1024 * 1024)));
    const connections = connectionsOf(server);
    const port = await listen(server);
    const { post } = clientWith(['127.0.0.1']);
    for (let n = 0; n < 2; n += 1) expect((await post(`http://127.0.0.1:${port}/`)).bodyTruncated).toBe(true);
    expect(connections()).toBe(2);
  });
});

describe('a call without an answer has a short code:', () => {
  const local = (port: number, rest: Partial<OutgoingRequest> = {}, scheme = 'http') =>
    failure(clientWith(['127.0.0.1']).post(`${scheme}://127.0.0.1:${port}/`, rest));

  it('ECONNREFUSED when no server listens', async () => {
    const port = await listen(createTcpServer());
    for (const close of closing.splice(0)) close();
    expect(await local(port)).toMatchObject({ name: 'OutgoingFailed', code: 'ECONNREFUSED' });
  });

  it('ECONNRESET when the connection ends without an answer', async () => {
    const port = await listen(createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())));
    expect(await local(port)).toMatchObject({ code: 'ECONNRESET' });
  });

  it('timeout when no headers arrive', async () => {
    const port = await answering(() => undefined);
    expect(await local(port, { timeouts: { headersMs: 100 } })).toMatchObject({
      code: 'timeout',
      message: 'no answer within 100 ms',
    });
  });

  it('timeout when the headers arrive slowly', async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(timer));
      }),
    );
    expect(await local(port, { timeouts: { headersMs: 100 } })).toMatchObject({ code: 'timeout' });
  });

  it('timeout when the name is not resolved in time', async () => {
    const client = createGuardedClient({ allowedPrivate: [], log, resolve: () => new Promise(() => undefined) });
    const sending = client.send({
      url: 'http://slow.example/',
      method: 'POST',
      headers: {},
      timeouts: { connectMs: 50 },
    });
    expect(await failure(sending)).toMatchObject({ code: 'timeout', message: 'no connection within 50 ms' });
  });

  it('tls when the server has no TLS', async () => {
    const port = await answering((_request, response) => response.end());
    expect(await local(port, {}, 'https')).toMatchObject({ code: 'tls' });
  });

  it('timeout when the TLS handshake hangs', async () => {
    const port = await listen(createTcpServer((socket) => socket.on('error', () => undefined)));
    expect(await local(port, { timeouts: { connectMs: 100 } }, 'https')).toMatchObject({ code: 'timeout' });
  });

  it('HPE_HEADER_OVERFLOW when the headers do not end', async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`));
      }),
    );
    expect(await local(port)).toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
  });

  it('ECONNRESET when the server switches protocols without a request', async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () =>
          socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
        );
      }),
    );
    expect(await local(port, { timeouts: { headersMs: 2_000 } })).toMatchObject({
      name: 'OutgoingFailed',
      code: 'ECONNRESET',
    });
  });

  it('aborted when the caller gives up', async () => {
    const controller = new AbortController();
    const port = await answering(() => controller.abort());
    expect(await local(port, { signal: controller.signal })).toMatchObject({ code: 'aborted' });
    expect(await local(port, { signal: AbortSignal.abort() })).toMatchObject({ code: 'aborted' });
  });
});
