// Administrators race on the settings at two gateways, while accounts is killed by SIGKILL again and again. The events
// tell what was stored: each begins with what the one before left.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compileCache, eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../scripts/servers/free-port.ts';

const main = fileURLToPath(new URL('../services/accounts/main.ts', import.meta.url));
const kills = 3;
/** So many writes are answered between two kills that all racers have begun again. */
const writesBetweenKills = 12;

let system: TestSystem;
let urls: string[];
let accounts: ChildProcess;

beforeAll(async () => {
  // Short, so that a racer whose request died with accounts soon continues.
  system = await startSystem({ REQUEST_TIMEOUT_MS: '1000' });
  urls = [system.url, await system.addGateway()];
});
afterAll(async () => {
  accounts?.kill('SIGKILL');
  await system?.stop();
});

async function startAccountsProcess(): Promise<void> {
  accounts = spawn(process.execPath, [main], {
    env: {
      ...{ NATS_URL: system.natsUrlOf('accounts'), YARDARM_PREFIX: system.prefix, LOG_LEVEL: 'fatal' },
      ...{ DATABASE_URL: system.database.urlFor('accounts'), DATABASE_MAX_CONNECTIONS: '5' },
      ...{ HEALTH_PORT: String(await freePort()), HEALTH_HOST: '127.0.0.1', ...compileCache },
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** The content of a setting as a request sends it, and the status of its answer. */
interface Write {
  content: string;
  status: number;
}

type EventData = { id: string; content: object } | null;

/** What the events of a setting say of it, the oldest first: what was stored, and what they replaced. */
async function historyOf(setting: string): Promise<{ stored: string[]; replaced: string[] }> {
  const path = '/api/admin/search/events?type=IS_ANY_OF:setting-created,setting-updated,setting-deleted&limit=1000';
  const { body } = await system.call('GET', path);
  expect(body.events).toHaveLength(body.total);
  const events = (body.events.reverse() as { data: EventData; preData: EventData }[]).filter(
    ({ data, preData }) => (data ?? preData)!.id === setting,
  );
  const contentOf = (data: EventData) => JSON.stringify(data?.content ?? null);
  return {
    stored: events.map(({ data }) => contentOf(data)),
    replaced: events.map(({ preData }) => contentOf(preData)),
  };
}

test('an answered write is stored once, and an unanswered one is whole or absent', async () => {
  const writes: Write[] = [];
  let onStored = (): void => undefined;
  let isRacing = true;
  async function write(racer: number, path: string, content: object): Promise<void> {
    const { status } = await system.call('POST', path, { url: urls[racer % 2]!, body: content });
    writes.push({ content: JSON.stringify(content), status });
    if (status === 204) onStored();
  }
  async function raceOnOrigins(racer: number): Promise<void> {
    for (let number = 0; isRacing; number += 1) {
      const frontendApiOrigins = [`https://racer-${racer}.example`, `https://write-${racer}-${number}.example`];
      await write(racer, '/api/admin/ui-config/cors', { frontendApiOrigins });
    }
  }
  /** While it is on, the writes of the others are refused. */
  async function raceOnMaintenance(): Promise<void> {
    for (let number = 0; isRacing; number += 1) await write(0, '/api/admin/maintenance', { enabled: number % 2 === 0 });
  }
  /** Resolves at the answer of the last of so many writes, while the other racers wait for theirs. */
  const stored = (count: number) =>
    new Promise<void>((resolve) => {
      let left = count;
      onStored = () => {
        left -= 1;
        if (left === 0) resolve();
      };
    });

  await system.stopService('accounts');
  await startAccountsProcess();
  const racers = [...[0, 1, 2, 3].map(raceOnOrigins), raceOnMaintenance()];
  for (let kill = 0; kill < kills; kill += 1) {
    await stored(writesBetweenKills);
    const exited = once(accounts, 'exit');
    accounts.kill('SIGKILL');
    await exited;
    await startAccountsProcess();
  }
  await stored(writesBetweenKills);
  isRacing = false;
  await Promise.all(racers);
  accounts.kill('SIGKILL');
  // The killed process may have held the lease of the relay.
  await system.database.expireLeases('accounts');
  await system.startService('accounts');
  await system.processAll();

  for (const { status } of writes) expect([204, 503, 504]).toContain(status);
  const cors = await historyOf('cors');
  const sent = (status: number) => writes.filter((each) => each.status === status).map(({ content }) => content);
  expect(cors.stored.filter((content, index) => cors.stored.indexOf(content) !== index)).toEqual([]);
  expect(cors.stored).toEqual(expect.arrayContaining(sent(204).filter((content) => content.includes('racer'))));
  expect([...sent(204), ...sent(504)]).toEqual(expect.arrayContaining(cors.stored));
  for (const { stored, replaced } of [cors, await historyOf('maintenance')]) {
    expect(replaced).toEqual(['null', ...stored.slice(0, -1)]);
  }
  await eventually(async () => {
    for (const url of urls) {
      const { body } = await system.call('GET', '/api/admin/ui-config', { url });
      expect(body.frontendApiOrigins).toEqual(JSON.parse(cors.stored.at(-1)!).frontendApiOrigins);
    }
  }, 2_000);
});
