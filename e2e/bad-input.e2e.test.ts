// What no SDK sends, in amounts that could exhaust a gateway: large reports, endless names, clients that never read.
import { once } from 'node:events';
import { connect } from 'node:net';
import { metrics } from '@yardarm/shared/telemetry';
import { eventually, isLongRun, longTest, openEventStream, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

const features = '/api/admin/projects/default/features';
let system: TestSystem;
let token: string;

beforeAll(async () => {
  system = await startSystem();
  token = system.clientTokens.development;
  for (const name of ['counted', 'large']) await system.call('POST', features, { body: { name } });
  await system.processAll();
});
afterAll(() => system?.stop());

const report = (toggles: Record<string, unknown>, appName = 'inventive') =>
  system.call('POST', '/api/client/metrics', { token, body: { appName, bucket: { toggles } } });

async function metricOf(name: string, labels: Record<string, string> = {}): Promise<number> {
  const { values } = await metrics.getSingleMetric(name)!.get();
  return values.find((each) => Object.entries(labels).every(([label, value]) => each.labels[label] === value))!.value;
}

test.each([
  [features, '{"name":"torn","description":"\xff\xfe"}'],
  ['/api/admin/service-account', '{"username":"torn","name":"\xc3","rootRole":2}'],
  ['/api/admin/features-batch/import', '{"project":"default","environment":"development","data":"\xff"}'],
])('bytes that are no UTF-8 are refused at %s, and not stored as other letters', async (path, text) => {
  const refused = await system.call('POST', path, { body: Buffer.from(text, 'latin1') });
  expect([refused.status, refused.body.message]).toEqual([400, 'The request body is not well-formed UTF-8.']);
});

test('ten megabytes of metrics are refused, and the gateway goes on', async () => {
  const body = `{"appName":"large","bucket":{"toggles":{"${'x'.repeat(10_000_000)}":{"yes":1}}}}`;
  const refused = await system.call('POST', '/api/client/metrics', { token, body });
  expect([refused.status, refused.body.name]).toEqual([413, 'ContentTooLarge']);
  expect((await report({ counted: { yes: 1 } })).status).toBe(202);
});

longTest(
  'many invented names of flags are accepted and dropped, in bounded memory, and other applications count',
  async () => {
    const perReport = 50_000;
    // A million in a long run.
    const reports = isLongRun ? 20 : 4;
    const beganAt = performance.now();
    for (let part = 0; part < reports; part += 1) {
      const names = Array.from({ length: perReport }, (_, index) => `n${part * perReport + index}`);
      const toggles = Object.fromEntries(names.map((name) => [name, { yes: 1 }]));
      expect((await report(toggles)).status).toBe(202);
      expect((await report({ counted: { yes: 1 } }, 'honest')).status).toBe(202);
    }
    // A row takes at least 400 bytes of the 10 MB of an application. What is kept is sent every ten seconds.
    const sends = 1 + Math.ceil((performance.now() - beganAt) / 10_000);
    const dropped = await metricOf('yardarm_gateway_usage_entries_dropped_total', { reason: 'excess' });
    expect(dropped).toBeGreaterThan(reports * perReport - sends * 25_000);
    await system.processAll();
    const [honest] = await system.database.rows<{ yes: string }>(
      "select sum(yes) as yes from flags.feature_usage where application = 'honest'",
    );
    expect(Number(honest!.yes)).toBe(reports);
  },
);

test('a client that never reads its stream is disconnected, and one that reads gets every change', async () => {
  const payload = { type: 'string', value: 'x'.repeat(200_000) };
  const variants = [{ name: 'one', weight: 1_000, weightType: 'variable', stickiness: 'default', payload }];
  const strategy = { name: 'flexibleRollout', parameters: { rollout: '100' }, variants };
  const path = `${features}/large/environments/development`;
  expect((await system.call('POST', `${path}/strategies`, { body: strategy })).status).toBe(200);
  await system.processAll();
  const { hostname, port } = new URL(system.url);
  const silent = connect(Number(port), hostname);
  const head = ['GET /api/client/streaming HTTP/1.1', 'Host: x', `Authorization: ${token}`, '', ''];
  silent.write(head.join('\r\n'));
  await once(silent, 'readable');
  const reader = await openEventStream(`${system.url}/api/client/streaming`, { authorization: token });
  await reader.waitFor(1);
  expect(await metricOf('yardarm_gateway_sdk_streams')).toBe(2);
  let isOn = false;
  // The system buffers some megabytes for a socket.
  for (let count = 0; count < 100 && (await metricOf('yardarm_gateway_sdk_streams')) > 1; count += 1) {
    isOn = !isOn;
    const { id } = reader.events.at(-1)!;
    await system.call('POST', `${path}/${isOn ? 'on' : 'off'}`);
    await eventually(() => expect(reader.events.at(-1)!.id).not.toBe(id));
  }
  expect(await metricOf('yardarm_gateway_sdk_streams')).toBe(1);
  expect(reader.events.at(-1)!.data.events.at(-1).feature).toMatchObject({ name: 'large', enabled: isOn });
  reader.close();
  silent.destroy();
});
