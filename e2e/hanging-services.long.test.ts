// What changes are answered while a service hangs that another service has to ask first.
import { type Bus, connectBus } from '@yardarm/shared/bus';
import type { RequestContract } from '@yardarm/shared/contracts';
import { readHead } from '@yardarm/shared/contracts/events';
import { findMissingProjectsAndEnvironments } from '@yardarm/shared/contracts/flags';
import { createLogger } from '@yardarm/shared/log';
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem({ REQUEST_TIMEOUT_MS: '2000' });
});
afterAll(() => system?.stop());

/** Replaces the service by one that gets these requests and never answers. */
async function whileHanging(name: 'flags' | 'events', contract: RequestContract, run: () => Promise<void>) {
  await system.stopService(name);
  const log = createLogger({ service: 'test', level: 'silent' });
  const bus: Bus = await connectBus({ url: system.natsUrlOf(name), name, prefix: system.prefix, log });
  const { promise: end, resolve } = Promise.withResolvers<never>();
  bus.serve(contract, () => end);
  await bus.flush();
  try {
    await run();
  } finally {
    resolve({} as never);
    await bus.drain();
    await system.startService(name);
  }
}

const integration = {
  ...{ provider: 'webhook', enabled: true, parameters: { url: 'https://example.com' }, events: ['feature-created'] },
  environments: ['development'],
};

async function expectUnavailable(method: string, path: string, body?: unknown): Promise<void> {
  const { status, headers, body: answer } = await system.call(method, path, { body });
  expect([path, status, headers.get('retry-after')]).toEqual([path, 503, '1']);
  expect(answer.message).toContain('nothing was done');
}

test('while flags hangs, what accounts and integrations have to ask it is refused with 503', async () => {
  const scope = { environment: 'development', projects: ['default'] };
  const permissions = [{ name: 'UPDATE_FEATURE_STRATEGY', environment: 'development' }];
  await whileHanging('flags', findMissingProjectsAndEnvironments, async () => {
    await expectUnavailable('POST', '/api/admin/api-tokens', { tokenName: 'hanging', type: 'client', ...scope });
    await expectUnavailable('GET', '/api/admin/projects/default/api-tokens');
    await expectUnavailable('POST', '/api/admin/roles', { name: 'hanging', type: 'custom', permissions });
    await expectUnavailable('GET', '/api/admin/projects/default/access');
    await expectUnavailable('PUT', '/api/admin/projects/default/users/1/roles', { roles: [4] });
    await expectUnavailable('POST', '/api/admin/addons', integration);
  });
  const { body } = await system.call('GET', '/api/admin/api-tokens');
  expect(body.tokens.map(({ tokenName }: { tokenName: string }) => tokenName)).not.toContain('hanging');
  expect((await system.call('GET', '/api/admin/addons')).body.addons).toEqual([]);
});

test('while events hangs, an integration is refused with 503', async () => {
  await whileHanging('events', readHead, () => expectUnavailable('POST', '/api/admin/addons', integration));
  expect((await system.call('GET', '/api/admin/addons')).body.addons).toEqual([]);
});
