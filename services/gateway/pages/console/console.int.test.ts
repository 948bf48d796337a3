// The console as a gateway serves it, from a small folder, over a real bus without other services.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { createLogger } from '@yardarm/shared/log';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { loadGatewayConfig } from '../../config.ts';
import { otherPaths } from '../../listener/server.ts';
import { pageHeaders } from '../../routing/page-headers.ts';
import { type RunningGateway, startGateway } from '../../service.ts';
import { apiParts, firstPart } from './api-parts.ts';

const index = `<!doctype html>
<meta name="yardarm-base-path" content="">
<link rel="stylesheet" href="./assets/index-h2.css">
<script type="module" src="./assets/index-h1.js"></script>
`;
const script = 'export const flags = "many";\n'.repeat(100);

let folder: string;
let gateways: RunningGateway[];
/** The addresses of a gateway with a console, below a base path, with the console alone, and without a console. */
let urls: Record<'whole' | 'based' | 'alone' | 'without' | 'ofApi', string>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'yardarm-console-'));
  const built = path.join(folder, 'built');
  await mkdir(path.join(built, 'assets', 'below'), { recursive: true });
  await writeFile(path.join(folder, 'secret.txt'), 'hunter2');
  const files: Record<string, string | Buffer> = {
    'index.html': index,
    'assets/index-h1.js': script,
    'assets/index-h1.js.br': brotliCompressSync(script),
    'assets/index-h1.js.gz': gzipSync(script),
    'assets/index-h2.css': 'a { color: red }',
    'assets/logo-h3.svg': '<svg/>',
    'assets/font-h4.woff2': 'font',
    'assets/large-h5.js': 'x'.repeat(300_000),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(built, name), content);
  gateways = [];
  const start = async (settings: Record<string, string>) => {
    const common = { NATS_URL: inject('natsUrl'), YARDARM_PREFIX: `t${randomBytes(6).toString('hex')}`, PORT: '0' };
    const log = createLogger({ service: 'test', level: 'silent' });
    const config = loadGatewayConfig({ ...common, ...settings });
    const gateway = await startGateway(config, log, { intervals: { drainNoticeMs: 0 } });
    gateways.push(gateway);
    return `http://127.0.0.1:${gateway.port}`;
  };
  urls = {
    whole: await start({ CONSOLE_DIR: built }),
    based: await start({ CONSOLE_DIR: built, BASE_URI_PATH: '/our/flags' }),
    alone: await start({ CONSOLE_DIR: built, GATEWAY_ROUTE_GROUPS: 'console' }),
    without: await start({}),
    ofApi: await start({ CONSOLE_DIR: built, GATEWAY_ROUTE_GROUPS: 'admin,sdk,signals' }),
  };
});

afterAll(async () => {
  for (const gateway of gateways) await gateway.drain();
  for (const gateway of gateways) await gateway.stop();
  await rm(folder, { recursive: true });
});

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const get = (address: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(address, { method, headers, redirect: 'manual' });

/** fetch normalizes paths and decodes bodies; this sends and returns what it is given. */
async function getRaw(url: string, rawPath: string, headers: Record<string, string> = {}) {
  const { hostname, port } = new URL(url);
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
    const sent = request({ hostname, port, path: rawPath, headers }, async (answer) => {
      const body = Buffer.from(await text(answer.setEncoding('latin1')), 'latin1');
      resolve({ status: answer.statusCode!, headers: answer.headers, body });
    });
    sent.on('error', reject).end();
  });
}

describe('a file with a hash in its name', () => {
  test.each([
    ['index-h1.js', 'text/javascript; charset=utf-8'],
    ['index-h2.css', 'text/css; charset=utf-8'],
    ['logo-h3.svg', 'image/svg+xml'],
    ['font-h4.woff2', 'font/woff2'],
  ])('%s has the type %s and is kept for a year', async (name, type) => {
    const answer = await get(`${urls.whole}/assets/${name}`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
    });
  });

  test.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0', undefined, (bytes: Buffer) => bytes],
  ])('is sent in the coding of accept-encoding %j', async (acceptEncoding, coding, decode) => {
    const answer = await getRaw(urls.whole, '/assets/index-h1.js', { 'accept-encoding': acceptEncoding });
    expect(answer.headers['content-encoding']).toBe(coding);
    expect(Number(answer.headers['content-length'])).toBe(answer.body.length);
    expect(decode(answer.body).toString()).toBe(script);
  });

  test('is sent as it is where the build has made no compressed form', async () => {
    const answer = await getRaw(urls.whole, '/assets/logo-h3.svg', { 'accept-encoding': 'br' });
    expect([answer.headers['content-encoding'], answer.body.toString()]).toEqual([undefined, '<svg/>']);
  });

  test('leaves its connection open unless it is large', async () => {
    const small = await get(`${urls.whole}/assets/index-h1.js`);
    const large = await get(`${urls.whole}/assets/large-h5.js`);
    expect([small, large].map(({ headers }) => headers.get('connection'))).toEqual(['keep-alive', 'close']);
    expect(await large.text()).toHaveLength(300_000);
  });

  test('is answered to HEAD without a body', async () => {
    const answer = await get(`${urls.whole}/assets/index-h1.js`, { 'accept-encoding': 'identity' }, 'HEAD');
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(script.length)]);
    expect(await answer.text()).toBe('');
  });

  test.each([
    '/assets/',
    '/assets/below',
    '/assets/index-h0.js',
    '/assets/index-h1.js.br',
    '/assets/../index.html',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..\\..\\secret.txt',
    '/assets/__proto__',
  ])('%s does not exist, also for a browser', async (asked) => {
    const answer = await getRaw(urls.whole, asked, asBrowser);
    expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ name: 'NotFoundError' });
  });
});

describe('the page', () => {
  test('at / has its policy and the headers of every page', async () => {
    const answer = await get(`${urls.whole}/`);
    expect([answer.status, await answer.text()]).toEqual([200, index.replaceAll('./assets', '/assets')]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      ...pageHeaders,
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    });
  });

  test('is 304 to who has it, and has no body for HEAD', async () => {
    const first = await get(`${urls.whole}/`);
    const etag = first.headers.get('etag')!;
    for (const known of [etag, `W/${etag}`, '*', `"other", ${etag}`]) {
      const again = await get(`${urls.whole}/projects`, { ...asBrowser, 'if-none-match': known });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    }
    expect((await get(`${urls.whole}/`, { 'if-none-match': '"other"' })).status).toBe(200);
    const head = await get(`${urls.whole}/`, {}, 'HEAD');
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
  });

  // The first three are links of messages.
  test.each([
    '/projects/default/features/new-checkout',
    '/projects/default/features/a%20b%2Fc?tab=history',
    '/projects/default/settings/environments',
    '/login',
    '/index.html',
    '/apiary',
    '/integrations/1/events',
    '/%zz',
  ])('is at %s for a browser, and is 404 for other clients', async (asked) => {
    for (const url of [urls.whole, urls.alone]) {
      const page = await getRaw(url, asked, asBrowser);
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers.vary).toBe('Accept');
      const refused = await getRaw(url, asked, { accept: 'application/json' });
      expect([refused.status, JSON.parse(refused.body.toString()).name]).toEqual([404, 'NotFoundError']);
    }
  });

  test.each(apiParts.map((part) => `/${part}/unknown`))('is not at %s', async (asked) => {
    for (const url of [urls.whole, urls.alone]) {
      const answer = await get(url + asked, asBrowser);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
  });

  test('answers no other method', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await get(`${urls.whole}/projects`, asBrowser, method);
      expect([method, answer.status]).toEqual([method, 404]);
    }
  });

  test('names its files and its base path below a base path', async () => {
    for (const asked of ['/our/flags', '/our/flags/', '/our/flags/projects/default', '/']) {
      const page = await (await get(urls.based + asked, asBrowser)).text();
      expect(page).toContain('<meta name="yardarm-base-path" content="/our/flags">');
      const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!);
      expect(links).toEqual(['/our/flags/assets/index-h2.css', '/our/flags/assets/index-h1.js']);
      for (const link of links) expect([link, (await get(urls.based + link)).status]).toEqual([link, 200]);
    }
  });
});

test('every route is outside the pages of the console', async () => {
  const document = (await (await get(`${urls.without}/docs/openapi.json`)).json()) as { paths: object };
  const paths = [...Object.keys(document.paths), ...otherPaths.filter((each) => each !== '/')];
  expect(paths.length).toBeGreaterThan(200);
  expect(paths.filter((each) => !apiParts.includes(firstPart(each)))).toEqual([]);
});

test.each([
  ['that names no folder', 'without'],
  ['without the group of the console', 'ofApi'],
] as const)('a gateway %s has no page and no files, and / leads to the documents', async (_, name) => {
  const answer = await get(`${urls[name]}/`, asBrowser);
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
  for (const asked of ['/projects/default', '/assets/index-h1.js'])
    expect((await get(urls[name] + asked, asBrowser)).status).toBe(404);
});

test('a gateway with the console alone is ready with NATS alone', async () => {
  await expect.poll(async () => (await get(`${urls.alone}/ready`)).status).toBe(200);
});

test.each(['missing', 'assets-alone'])(
  'the folder %s, which has no index.html, is refused at the start',
  async (name) => {
    await mkdir(path.join(folder, 'assets-alone', 'assets'), { recursive: true });
    const config = loadGatewayConfig({ NATS_URL: inject('natsUrl'), CONSOLE_DIR: path.join(folder, name) });
    const log = createLogger({ service: 'test', level: 'silent' });
    await expect(startGateway(config, log)).rejects.toThrow(/^CONSOLE_DIR: .*ENOENT.*index\.html/);
  },
);
