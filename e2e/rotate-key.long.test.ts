// A key of accounts is replaced while it is in use: SDKs read and administrators list tokens meanwhile, new tokens are
// made, and the replicas are replaced one by one. Nothing fails, and every secret stays readable.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { loadAccountsConfig } from '@yardarm/accounts/config';
import { startAccounts } from '@yardarm/accounts/service';
import { createLogger } from '@yardarm/shared/log';
import type { RunningService } from '@yardarm/shared/service';
import { compileCache, eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

const main = path.resolve(import.meta.dirname, '../scripts/yardarm.ts');
const tokens = '/api/admin/api-tokens';
const keys = (current: number, ...others: number[]) => ({
  ACCOUNTS_ENCRYPTION_KEY: keyOf(current),
  ACCOUNTS_ENCRYPTION_OTHER_KEYS: others.map(keyOf).join(','),
});
const keyOf = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const log = createLogger({ service: 'accounts', level: 'error' });
const replicas: RunningService[] = [];
/** The secrets of the SDK tokens by name. */
const secrets = new Map<string, string>();
let system: TestSystem;

beforeAll(async () => {
  system = await startSystem(keys(1, 2));
});
afterAll(async () => {
  for (const replica of replicas.splice(0)) await stop(replica);
  await system?.stop();
});

async function create(tokenName: string): Promise<void> {
  const type = secrets.size % 2 === 0 ? 'client' : 'frontend';
  const body = { type, tokenName, environment: 'development' };
  const answer = await system.call('POST', tokens, { body });
  expect(answer, answer.text).toMatchObject({ status: 201, body: { secure: false } });
  secrets.set(tokenName, answer.body.secret);
}

/** Every token of which `names` has the name is listed with its secret. */
async function expectListed(names: readonly string[]): Promise<void> {
  const answer = await system.call('GET', tokens);
  expect(answer.status, answer.text).toBe(200);
  const listed = new Map<string, string>();
  for (const { tokenName, secret } of answer.body.tokens) listed.set(tokenName, secret);
  expect(names.filter((name) => listed.get(name) !== secrets.get(name))).toEqual([]);
}

/** An SDK reads with the token, and a proxy asks whether it exists. */
async function expectToRead(name: string): Promise<void> {
  const secret = secrets.get(name)!;
  const body = { tokens: [secret] };
  const validated = await system.call('POST', '/edge/validate', { token: null, body });
  expect(validated.body?.tokens, validated.text).toHaveLength(1);
  const read = await system.call(
    'GET',
    validated.body.tokens[0].type === 'client' ? '/api/client/features' : '/api/frontend',
    { token: secret },
  );
  expect(read.status, read.text).toBe(200);
}

async function startReplica(settings: Record<string, string>): Promise<RunningService> {
  const replica = await startAccounts(
    loadAccountsConfig({
      ...{ NATS_URL: system.natsUrlOf('accounts'), YARDARM_PREFIX: system.prefix, HOST: '127.0.0.1', PORT: '0' },
      ...{ DATABASE_URL: system.database.urlFor('accounts'), DATABASE_MAX_CONNECTIONS: '5', ...settings },
    }),
    log,
  );
  replicas.push(replica);
  await eventually(async () => expect(Object.values(await replica.health()).filter((problem) => problem)).toEqual([]));
  return replica;
}

async function stop(replica: RunningService): Promise<void> {
  await replica.drain();
  await replica.stop();
}

async function rotate(): Promise<void> {
  const child = spawn(process.execPath, [main, 'rotate-key', 'accounts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { DATABASE_URL: system.database.urlFor('accounts'), ...keys(2, 1), ...compileCache },
  });
  expect((await once(child, 'close'))[0]).toBe(0);
}

const keyIds = async () => {
  const rows = await system.database.rows<{ key: string }>(
    'select distinct sealed_key as key from accounts.tokens where sealed_secret is not null',
  );
  return rows.map(({ key }) => key);
};

test('no request fails while the key of accounts is replaced, and every secret is readable with the new one', async () => {
  for (let i = 0; i < 50; i += 1) await create(`before-${i}`);
  const [oldKey, ...others] = await keyIds();
  expect(others).toEqual([]);

  let isOver = false;
  const counts = { created: 0, listed: 0, read: 0 };
  const repeat = async (what: keyof typeof counts, request: (n: number) => Promise<void>) => {
    while (!isOver) {
      await request(counts[what]);
      counts[what] += 1;
    }
  };
  const known = () => [...secrets.keys()];
  const callers = Promise.all([
    repeat('created', (n) => create(`during-${n}`)),
    repeat('listed', () => expectListed(known())),
    repeat('read', (n) => expectToRead(known()[(n * 7) % secrets.size]!)),
  ]).finally(() => {
    isOver = true;
  });
  const replace = async () => {
    await rotate();
    // The replica with the old key has sealed new secrets with it meanwhile. Its successor knows both keys.
    const both = await startReplica(keys(2, 1));
    await system.stopService('accounts');
    await rotate();
    expect(await keyIds()).toEqual([expect.not.stringMatching(oldKey!)]);
    await startReplica(keys(2));
    await stop(replicas.splice(replicas.indexOf(both), 1)[0]!);
    const before = { ...counts };
    await eventually(() => {
      for (const what of ['created', 'listed', 'read'] as const) expect(counts[what]).toBeGreaterThan(before[what]);
    });
  };
  await Promise.all([
    callers,
    replace().finally(() => {
      isOver = true;
    }),
  ]);

  expect(Math.min(...Object.values(counts))).toBeGreaterThan(10);
  await expectListed(known());
});
