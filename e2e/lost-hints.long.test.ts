// Settings are felt by every process within two seconds, also when no hint announces them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { allRequests } from '@yardarm/shared/contracts/all';
import { settingsChangedHint } from '@yardarm/shared/contracts/settings';
import { createLogger } from '@yardarm/shared/log';
import { compileCache, eventually, type TestSystem } from '@yardarm/testing';
import { contextOf } from '@yardarm/testing/callers';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LosingProxy, startLosingProxy } from './losing-proxy.ts';

/** The promised time until a setting takes effect. */
const maxDelayMs = 2_000;
const main = path.resolve(import.meta.dirname, '../scripts/yardarm.ts');
const origin = 'https://shop.example';
let system: TestSystem;
let proxy: LosingProxy;
/** The gateway that gets no hint of a setting. */
let deaf: string;
let bus: Bus;
let hints = 0;

beforeAll(async () => {
  system = await startSystem();
  proxy = await startLosingProxy(system.natsUrlOf('gateway'), (subject) => subject.endsWith(settingsChangedHint.name));
  deaf = await system.addGateway({}, { NATS_URL: proxy.url });
  const log = createLogger({ service: 'test', level: 'fatal' });
  bus = await connectBus({ url: system.natsUrl, name: 'gateway', prefix: system.prefix, log });
  bus.onHint(settingsChangedHint, () => {
    hints += 1;
  });
  await bus.flush();
});
afterAll(async () => {
  await bus?.drain();
  await system?.stop();
  proxy?.close();
});

async function isInMaintenance(url: string): Promise<boolean> {
  return (await system.call('GET', '/api/admin/maintenance', { url })).body.enabled;
}

async function allowedOrigin(url: string): Promise<string | null> {
  const headers = { origin, 'access-control-request-method': 'GET' };
  const answer = await system.call('OPTIONS', '/api/frontend', { url, token: null, headers });
  return answer.headers.get('access-control-allow-origin');
}

test('a gateway whose hints are lost feels what administrators change', async () => {
  const set = async (place: string, body: object) => {
    const lost = proxy.lost.length;
    expect((await system.call('POST', `/api/admin/${place}`, { body })).status).toBe(204);
    await eventually(() => expect(proxy.lost.length).toBeGreaterThan(lost));
  };
  await set('ui-config/cors', { frontendApiOrigins: [origin] });
  await eventually(async () => expect(await allowedOrigin(deaf)).toBe(origin), maxDelayMs);
  for (const enabled of [true, false]) {
    await set('maintenance', { enabled });
    await eventually(async () => expect(await isInMaintenance(deaf)).toBe(enabled), maxDelayMs);
  }
});

test('every service and gateway feels the maintenance mode that the command begins and ends, which sends no hint', async () => {
  const ofEachService = new Map(
    allRequests.filter(({ writes }) => writes === true).map((contract) => [contract.service, contract]),
  );
  expect([...ofEachService.keys()].sort()).toEqual(['accounts', 'flags', 'integrations', 'signals']);
  const before = hints;
  for (const [word, isOn] of [
    ['on', true],
    ['off', false],
  ] as const) {
    await yardarm('maintenance', word);
    await eventually(async () => {
      for (const url of [system.url, deaf]) expect(await isInMaintenance(url)).toBe(isOn);
      for (const contract of ofEachService.values()) {
        const code = await bus.request(contract, {}, contextOf(null)).then(
          () => 'ok',
          (error) => error.code,
        );
        expect([contract.service, code === 'maintenance']).toEqual([contract.service, isOn]);
      }
    }, maxDelayMs);
  }
  expect(hints).toBe(before);
});

async function yardarm(...words: string[]): Promise<void> {
  const env = { DATABASE_URL: system.database.urlFor('accounts'), ...compileCache };
  const child = spawn(process.execPath, [main, ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  expect(await once(child, 'close')).toEqual([0, null]);
}
