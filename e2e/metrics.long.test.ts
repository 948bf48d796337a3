// A scrape of all services: its metrics, and its answer without the database. It does not assert the values.
import { publishers } from '@yardarm/shared/contracts/events';
import { startHealthServer } from '@yardarm/shared/service';
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sdkPaths, signalPaths, writePaths } from '../scripts/observability/promises.ts';

let system: TestSystem;
let health: Awaited<ReturnType<typeof startHealthServer>>;

beforeAll(async () => {
  system = await startSystem();
  health = await startHealthServer({ host: '127.0.0.1', port: 0, health: async () => ({}) });
  await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'measured' } });
  await system.processAll();
});
afterAll(async () => {
  await health?.close();
  await system?.stop();
});

async function scrape(path = '/metrics'): Promise<{ status: number; names: string[] }> {
  const response = await fetch(`http://127.0.0.1:${health.port}${path}`, { headers: { connection: 'close' } });
  const samples = (await response.text()).split('\n').filter((line) => line.startsWith('yardarm_'));
  return { status: response.status, names: samples.map((line) => line.slice(0, line.lastIndexOf(' '))) };
}

/** Gauges that each scrape reads from a database. */
const scraped = [
  ...publishers.flatMap((service) => [
    `yardarm_outbox_rows{service="${service}"}`,
    `yardarm_outbox_oldest_seconds{service="${service}"}`,
  ]),
  'yardarm_events_recorder_lag_messages',
  'yardarm_events_missing_source_numbers{source="flags"}',
  'yardarm_flags_largest_environment_bytes',
  'yardarm_flags_largest_project_bytes',
  'yardarm_integrations_missed_events',
  'yardarm_integrations_intake_lag_events',
  'yardarm_integrations_unfinished_deliveries{state="pending"}',
  'yardarm_integrations_overdue_seconds',
  'yardarm_integrations_paused',
  'yardarm_signals_unfinished_runs',
  'yardarm_signals_oldest_run_seconds',
];
const counted = [
  'yardarm_bus_served_seconds_count{contract="flags.feature.create",outcome="ok"}',
  'yardarm_events_is_leader',
  'yardarm_db_pool_connections{state="busy"}',
  'yardarm_db_pool_waiting',
  'yardarm_gateway_environments_missing',
  'yardarm_gateway_snapshot_age_seconds',
  'yardarm_gateway_snapshot_revision',
  'yardarm_db_leases_held{service="events",lease="recorder"}',
  'yardarm_db_leases_held{service="accounts",lease="outbox-relay"}',
  'yardarm_gateway_token_lookups_total{owner="accounts",result="memory"}',
  'yardarm_gateway_tokens_cached{owner="signals",state="known"}',
  'yardarm_scrape_age_seconds{reader="outbox"}',
  // Read from NATS.
  'yardarm_signals_store_lag_messages',
  'yardarm_bus_consumer_lag_messages{stream="EVENTS",durable="flags-users"}',
  'yardarm_bus_consumer_lag_messages{stream="EVENTS",durable="accounts-project-deleted"}',
];

test('the requests that the alerts count have the paths and methods of their selectors', async () => {
  await system.call('GET', '/api/client/features');
  await system.call('POST', '/api/signal-endpoint/none');
  const { names } = await scrape();
  for (const selector of [sdkPaths, writePaths, signalPaths]) {
    const [, paths] = /path=~"(.*?)"/.exec(selector)!;
    const [, not, method] = /method(!?)="(\w+)"/.exec(selector) ?? [];
    const counted = names.filter((name) => {
      const found = /^yardarm_http_request_seconds_count\{method="(\w+)",path="(.*?)"/.exec(name);
      if (!found || !new RegExp(`^(?:${paths})$`).test(found[2]!)) return false;
      return method === undefined || (found[1] === method) === (not === '');
    });
    expect(counted, selector).not.toEqual([]);
  }
});

async function allowConnections(isAllowed: boolean): Promise<void> {
  const name = new URL(system.database.ownerUrl).pathname.slice(1);
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  await client.query(`alter database ${name} allow_connections ${isAllowed}`);
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await client.end();
}

test('without the database a scrape still answers, without the gauges that it cannot read', async () => {
  const before = await scrape();
  expect(before).toEqual({ status: 200, names: expect.arrayContaining([...scraped, ...counted]) });
  expect(await scrape('/internal-backstage/prometheus')).toEqual({
    status: 200,
    names: expect.arrayContaining([...scraped, ...counted]),
  });
  await allowConnections(false);
  try {
    const without = await scrape();
    expect(without).toEqual({ status: 200, names: expect.arrayContaining(counted) });
    expect(without.names.filter((name) => scraped.includes(name))).toEqual([]);
  } finally {
    await allowConnections(true);
  }
  await expect.poll(async () => (await scrape()).names, { timeout: 20_000 }).toEqual(expect.arrayContaining(scraped));
});

test('the public address has no metrics', async () => {
  for (const path of ['/metrics', '/internal-backstage/prometheus']) {
    expect(await system.call('GET', path)).toMatchObject({ status: 404 });
  }
});
