// Proves, with a proxy on loopback, that calls are tunnelled to the checked address and private ones are refused.
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../log/index.ts';
import { createGuardedClient } from './guarded-client.ts';
import { OutgoingFailed, OutgoingRefused } from './outgoing-errors.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const servers: Server[] = [];
let tunnels: { target: string; authorization: string | undefined }[];
let answer: string | null;
let proxy: string;
let endpointPort: number;
let calls: { host: string | undefined; path: string | undefined }[];

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  tunnels = [];
  calls = [];
  answer = 'HTTP/1.1 200 OK\r\n\r\n';
  endpointPort = await listen(
    createServer((request, response) => {
      calls.push({ host: request.headers.host, path: request.url });
      response.end('here');
    }),
  );
  const proxyServer = createServer((_request, response) => response.writeHead(500).end());
  proxyServer.on('connect', (request, client) => {
    client.on('error', () => undefined);
    tunnels.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    if (answer === null) return;
    client.write(answer);
    // Every tunnel leads to the endpoint of this test.
    const upstream = connect(endpointPort, '127.0.0.1').on('error', () => undefined);
    client.pipe(upstream).pipe(client);
  });
  proxy = `http://user:word@127.0.0.1:${await listen(proxyServer)}`;
});

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

function send(url: string, addresses: string[], { none = [] as string[], connectMs = 2_000 } = {}) {
  const client = createGuardedClient({
    allowedPrivate: none.length > 0 ? ['127.0.0.1'] : [],
    log,
    proxies: { http: proxy, https: proxy, none },
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  });
  return client.send({ url, method: 'POST', headers: {}, body: '{}', timeouts: { connectMs } }).then(
    ({ status, body }) => ({ status, body }),
    (error: Error) => error,
  );
}

describe('through a proxy', () => {
  it('a call is tunnelled to the checked address, and the endpoint gets the name', async () => {
    expect(await send('http://hooks.example:8080/a?b=c', ['93.184.216.34'])).toEqual({ status: 200, body: 'here' });
    expect(tunnels).toEqual([
      { target: '93.184.216.34:8080', authorization: `Basic ${Buffer.from('user:word').toString('base64')}` },
    ]);
    expect(calls).toEqual([{ host: 'hooks.example:8080', path: '/a?b=c' }]);
  });

  it('a call to https at an IPv6 address is tunnelled too', async () => {
    // The endpoint has no TLS; the test checks the target of the tunnel.
    expect(await send('https://hooks.example/', ['2606:4700::1111'])).toMatchObject({ code: 'tls' });
    expect(tunnels).toMatchObject([{ target: '[2606:4700::1111]:443' }]);
  });

  it.each([
    'http://127.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:10.0.0.1]/',
    'http://2130706433/',
    'http://168.63.129.16/',
  ])('%s is refused without a request to the proxy', async (url) => {
    expect(await send(url, [])).toBeInstanceOf(OutgoingRefused);
    expect(tunnels).toEqual([]);
  });

  it.each([['10.0.0.1'], ['fd00::1'], ['93.184.216.34', '192.168.0.1'], ['100.64.0.1'], ['64:ff9b::a00:1']])(
    'a name at %s %s is refused without a request to the proxy',
    async (...addresses) => {
      expect(await send('http://hooks.example/', addresses)).toBeInstanceOf(OutgoingRefused);
      expect(tunnels).toEqual([]);
    },
  );

  it.each([403, 407, 410, 502])('an answer %i of the proxy is not an answer of the endpoint', async (code) => {
    answer = `HTTP/1.1 ${code} No\r\n\r\n`;
    const error = await send('http://hooks.example/', ['93.184.216.34']);
    expect(error).toBeInstanceOf(OutgoingFailed);
    expect(error).toMatchObject({ code: 'proxy', message: `the proxy answered ${code}` });
    expect(calls).toEqual([]);
  });

  it('a proxy that does not answer is a timeout of the connection', async () => {
    answer = null;
    expect(await send('http://hooks.example/', ['93.184.216.34'], { connectMs: 100 })).toMatchObject({
      code: 'timeout',
    });
  });

  it('a host in NO_PROXY is called directly', async () => {
    const url = `http://hooks.example:${endpointPort}/`;
    expect(await send(url, ['127.0.0.1'], { none: ['hooks.example'] })).toEqual({ status: 200, body: 'here' });
    expect(tunnels).toEqual([]);
  });
});
