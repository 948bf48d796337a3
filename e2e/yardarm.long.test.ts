// Proves the operator's commands that ask a running system, as processes. The commands that work on the database alone
// have tests of their own; here the table of commands runs one of them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { compileCache, eventually, startReceiver, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const main = path.resolve(import.meta.dirname, '../scripts/yardarm.ts');
const running: ChildProcess[] = [];
const keyOf = (fill: number) => Buffer.alloc(32, fill).toString('base64');
let system: TestSystem;

beforeAll(async () => {
  system = await startSystem({ ACCOUNTS_ENCRYPTION_KEY: keyOf(1), ACCOUNTS_ENCRYPTION_OTHER_KEYS: keyOf(2) });
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => system?.stop());

function start(words: string[], settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { YARDARM_URL: system.url, YARDARM_ADMIN_TOKEN: system.adminToken, ...compileCache, ...settings },
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return { child, output: () => output };
}

async function run(words: string[], settings: Record<string, string> = {}) {
  const { child, output } = start(words, settings);
  const [code] = await once(child, 'close');
  return { code, output: output() };
}

test('token create prints a token that works', async () => {
  const { code, output } = await run(['token', 'create', '--name', 'shop', '--environment', 'development']);
  expect(code).toBe(0);
  expect(output).toMatch(/^\*:development\.\S+\n$/);
  expect(await system.call('GET', '/api/client/features', { token: output.trim() })).toMatchObject({ status: 200 });
});

test('rotate-key accounts encrypts the secrets of SDK tokens with the new key while accounts runs', async () => {
  const listed = async () => {
    const { body } = await system.call('GET', '/api/admin/api-tokens');
    return body.tokens.map(({ secret }: { secret: string }) => secret);
  };
  const before = await listed();
  expect(before).toContain(system.clientTokens.development);
  const settings = { DATABASE_URL: system.database.urlFor('accounts'), ACCOUNTS_ENCRYPTION_KEY: keyOf(2) };

  const wrong = await run(['rotate-key', 'accounts'], settings);
  expect(wrong).toEqual({
    code: 1,
    output: expect.stringMatching(/^yardarm: the secrets of \d+ API tokens cannot be decrypted: give their key .*\n$/),
  });
  const rotated = await run(['rotate-key', 'accounts'], { ...settings, ACCOUNTS_ENCRYPTION_OTHER_KEYS: keyOf(1) });
  expect(rotated).toEqual({ code: 0, output: expect.stringContaining('Every secret of accounts is encrypted with') });
  expect(await listed()).toEqual(before);
  expect(await run(['rotate-key', 'accounts'], settings)).toMatchObject({ code: 0 });
});

/** Passes connections on to the gateway until they are cut. New ones are accepted. */
async function startProxy() {
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = connect(Number(new URL(system.url).port), '127.0.0.1');
    incoming.pipe(outgoing).pipe(incoming);
    for (const socket of [incoming, outgoing]) sockets.add(socket.on('error', () => {}));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut, close: () => server.close() };
}

test('tail events prints each event once, also when its connection breaks', async () => {
  const proxy = await startProxy();
  const words = ['tail', 'events', '--after', '0', '--project', 'default'];
  const { child, output } = start(words, { YARDARM_URL: proxy.url });
  const create = (name: string) => system.call('POST', '/api/admin/projects/default/features', { body: { name } });
  const lines = () =>
    output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'feature-created')
      .map(({ featureName }) => featureName);
  await create('tailed-1');
  await eventually(() => expect(lines()).toEqual(['tailed-1']));
  proxy.cut();
  await create('tailed-2');
  await eventually(() => expect(lines()).toEqual(['tailed-1', 'tailed-2']));
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  proxy.cut();
  proxy.close();
});

test('tail signals prints each stored signal once', async () => {
  const { body: endpoint } = await system.call('POST', '/api/admin/signal-endpoints', { body: { name: 'tailed' } });
  const tokens = `/api/admin/signal-endpoints/${endpoint.id}/tokens`;
  const { token } = (await system.call('POST', tokens, { body: { name: 'sender' } })).body;
  const send = (n: number) =>
    system.call('POST', '/api/signal-endpoint/tailed', { token: `Bearer ${token}`, body: { n } });
  const { output } = start(['tail', 'signals', '--endpoint', 'tailed']);
  const printed = () => [...output().matchAll(/"payload":\{"n":(\d+)\}/g)].map(([, n]) => Number(n));
  // The first signals may be older than the start of the command.
  let n = 0;
  await eventually(async () => {
    n += 1;
    await send(n);
    expect(printed().length).toBeGreaterThan(1);
  });
  const numbers = printed();
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
});

test('the commands of other files run by their names', async () => {
  expect(await run(['nats-config', '--prefix=other'])).toMatchObject({
    code: 0,
    output: expect.stringContaining('"other.rpc.flags.>"'),
  });
  expect(await run(['replay', 'nothing'])).toMatchObject({
    code: 2,
    output: expect.stringMatching(/^replay: nothing is/),
  });
});

test.each([
  [[], 0, /^Usage: yardarm <command>[\s\S]*verify-log/],
  [['restart'], 2, /^yardarm: restart is not a command\.\nUsage/],
])('%j ends with exit code %i and a sentence', async (words, code, expected) => {
  expect(await run(words)).toEqual({ code, output: expect.stringMatching(expected) });
});

test('a refused token and a system that does not answer are one sentence without the token', async () => {
  const refused = await run(['token', 'create', '--name', 'x'], { YARDARM_ADMIN_TOKEN: '*:*.s3cret' });
  expect(refused).toEqual({ code: 1, output: expect.stringMatching(/^yardarm: .*answered 401: .*\n$/) });
  expect(refused.output).not.toContain('s3cret');
  const away = await run(['status'], { YARDARM_URL: 'http://127.0.0.1:1' });
  expect(away).toEqual({ code: 1, output: expect.stringMatching(/^yardarm: http:\/\/127\.0\.0\.1:1 does not answer/) });
});

test.each([
  [['token', 'create', '--name', ' '], /answered 400: .*tokenName/],
  [['tail', 'events', '--type', 'no-such-type'], /answered 400: .*type/],
  [['after-restore', 'now'], /now is one argument too many/],
])('%j is wrong usage also where only the system knows it', async (words, sentence) => {
  expect(await run(words)).toEqual({ code: 2, output: expect.stringMatching(sentence) });
});

test.each([
  ['a page', 200, '<html>', 'did not answer with JSON: is YARDARM_URL that of a gateway?'],
  ['no services', 200, '{"services":null}', 'did not answer with the expected services: is YARDARM_URL that of a'],
  ['a redirect', 302, '', 'answered 302: '],
])('another server that answers with %s is named in one sentence', async (_what, status, body, sentence) => {
  const other = await startReceiver((response) => {
    response.writeHead(status, { location: system.url }).end(body);
  });
  const { code, output } = await run(['status'], { YARDARM_URL: other.url });
  await other.close();
  expect(output).toContain(sentence);
  expect(output.trim().split('\n')).toHaveLength(1);
  expect(code).toBe(1);
});

test('status shows every replica and exits with 0, and names a service that is away and exits with 1', async () => {
  const whole = await run(['status']);
  for (const name of ['gateway', 'flags', 'events', 'integrations', 'signals', 'accounts'])
    expect(whole.output).toMatch(new RegExp(`^${name} +ready  \\d+\\.\\d+\\.\\d+  since \\S+  \\S+$`, 'm'));
  expect(whole.code).toBe(0);
  await system.stopService('signals');
  const partial = await run(['status']);
  expect(partial).toEqual({ code: 1, output: expect.stringMatching(/^signals +away$/m) });
  expect(JSON.parse((await run(['status', '--json'])).output).services).toHaveLength(6);
});
