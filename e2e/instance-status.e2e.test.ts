// The status of the whole system: what each process says of itself, and which services are away.
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system?.stop());

interface ServiceStatus {
  name: string;
  isAway: boolean;
  replicas: { instance: string; version: string; isReady: boolean; parts: object; gauges: { name: string }[] }[];
}

async function services(): Promise<Record<string, ServiceStatus>> {
  const { status, body } = await system.call('GET', '/api/admin/instance-admin/status');
  expect(status).toBe(200);
  return Object.fromEntries((body.services as ServiceStatus[]).map((service) => [service.name, service]));
}

test('each service has its replicas, with version, readiness and waiting work', async () => {
  await system.addGateway();
  const found = await services();
  expect(Object.keys(found)).toEqual(['gateway', 'flags', 'events', 'integrations', 'signals', 'accounts']);
  expect(found.gateway!.replicas).toHaveLength(2);
  expect(new Set(found.gateway!.replicas.map(({ instance }) => instance)).size).toBe(2);
  const [flags] = found.flags!.replicas;
  expect(found.flags).toMatchObject({
    isAway: false,
    replicas: [{ isReady: true, parts: { database: null, bus: null } }],
  });
  expect(flags!.gauges.map(({ name }) => name)).toContain('yardarm_outbox_rows');
});

test('a service that has stopped is away, and the others are there', async () => {
  await system.stopService('signals');
  const found = await services();
  expect(found.signals).toEqual({ name: 'signals', isAway: true, replicas: [] });
  expect(found.integrations!.isAway).toBe(false);
});
