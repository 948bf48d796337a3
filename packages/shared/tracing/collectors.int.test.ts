// What a collector that is away, hangs or fails costs: its spans, and nothing else.
import { createLogger } from '@yardarm/shared/log';
import { startCollector, startReceiver, type TestCollector } from '@yardarm/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { commonSettings, loadConfig } from '../config/index.ts';
import { tracer } from '../telemetry/index.ts';
import { startTracing, type Tracing } from './index.ts';

let lines: { level: number; msg: string; [field: string]: unknown }[] = [];
let tracing: Tracing | null = null;
const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await tracing?.stop(1_000);
  await Promise.all(closing.splice(0).map((each) => each.close()));
  tracing = null;
  lines = [];
});

async function start(url: string, settings: Record<string, string> = {}): Promise<void> {
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger({ service: 'test', level: 'info', destination });
  const environment = { NATS_URL: 'nats://unused', OTEL_EXPORTER_OTLP_ENDPOINT: url, ...settings };
  tracing = await startTracing('test', loadConfig(commonSettings, environment), log);
}

async function collect(port = 0): Promise<TestCollector> {
  const collector = await startCollector(port);
  closing.push(collector);
  return collector;
}

function makeSpans(count: number, name = 'work'): void {
  for (let n = 0; n < count; n += 1) tracer!.start(name, { kind: 'internal', attributes: { n } }).end();
}

const warnings = () => lines.filter(({ level }) => level >= 40);

test('a collector gets spans with the service, the attributes and the headers of the settings', async () => {
  const collector = await collect();
  await start(collector.url, {
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret-key',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  const span = tracer!.start('work', { kind: 'client', attributes: { text: 'a', number: 7, flag: true } });
  span.fail('timeout');
  span.end();
  await expect.poll(() => collector.spans.length).toBe(1);
  expect(collector.spans[0]).toMatchObject({
    ...{ service: 'yardarm-test', name: 'work', kind: 'client', isError: true, parentSpanId: '' },
    attributes: { text: 'a', number: 7, flag: true, 'error.type': 'timeout' },
    resource: { 'deployment.environment.name': 'test', 'process.pid': process.pid },
  });
  expect(collector.exports[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-key': 'secret-key' } });
  expect(JSON.stringify(lines)).not.toContain('secret-key');
});

test('a stop sends the spans that wait, and makes no more', async () => {
  const collector = await collect();
  await start(collector.url, { OTEL_SERVICE_NAME: 'named' });
  makeSpans(3);
  await tracing!.stop(1_000);
  expect(tracer).toBeNull();
  expect(collector.spans.map(({ service }) => service)).toEqual(['named', 'named', 'named']);
});

test.each([
  ['traceidratio of 0 exports none', 'traceidratio', '0', '01', 0],
  ['a sampler without parents ignores the flag of the caller', 'always_on', '1', '00', 1],
  ['a parent that is traced counts before the ratio', 'parentbased_traceidratio', '0', '01', 1],
  ['a parent that is not traced counts before the ratio', 'parentbased_traceidratio', '1', '00', 0],
  ['always_off exports none', 'always_off', '1', '01', 0],
])('%s', async (_title, sampler, share, flags, exported) => {
  const collector = await collect();
  await start(collector.url, { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share });
  const traceId = 'c'.repeat(32);
  const parent = `00-${traceId}-${'d'.repeat(16)}-${flags}`;
  const span = tracer!.start('work', { kind: 'internal', parent, attributes: {} });
  expect(span.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-0${exported}$`));
  span.end();
  await tracing!.stop(1_000);
  expect(collector.spans).toHaveLength(exported);
});

test('a collector that is away is logged once, and gets spans when it is there', async () => {
  const away = await startCollector();
  await away.close();
  const port = Number(new URL(away.url).port);
  // The exporter repeats an export for this time.
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '200');
  await start(away.url);
  vi.unstubAllEnvs();
  makeSpans(2);
  await expect.poll(() => warnings().length).toBe(1);
  expect(warnings()[0]).toMatchObject({
    msg: 'the collector of OTEL_EXPORTER_OTLP_ENDPOINT takes no spans; they are lost',
    reason: expect.stringContaining('ECONNREFUSED'),
  });
  makeSpans(3, 'lost, too');
  const collector = await collect(port);
  await expect
    .poll(() => {
      makeSpans(1, 'later');
      return collector.spans.some(({ name }) => name === 'later');
    })
    .toBe(true);
  await expect.poll(() => lines.at(-1)?.msg).toBe('the collector takes spans again');
  expect(warnings()).toHaveLength(1);
});

test('a collector that answers 500 is logged once, without its answer', async () => {
  const collector = await collect();
  collector.answer = (response) => response.writeHead(500).end('secret answer');
  await start(collector.url);
  for (const batch of [1, 2]) {
    makeSpans(10);
    await expect.poll(() => collector.exports.length).toBe(batch);
  }
  await expect.poll(() => warnings().length).toBe(1);
  expect(JSON.stringify(lines)).not.toContain('secret answer');
});

test('a collector that hangs gets no more than the queue holds and what it had, once it answers', async () => {
  const collector = await collect();
  const held: (() => void)[] = [];
  const { answer } = collector;
  collector.answer = (response) => void held.push(() => answer(response));
  await start(collector.url);
  for (let round = 0; round < 10; round += 1) {
    makeSpans(1_000);
    await expect.poll(() => held.length).toBe(1);
  }
  collector.answer = answer;
  for (const release of held) release();
  await tracing!.stop(10_000);
  expect(collector.spans.length).toBeGreaterThan(2_048);
  expect(collector.spans.length).toBeLessThanOrEqual(2_048 + 1_000);
  expect(warnings()).toEqual([]);
});

test('a collector that hangs delays a stop by no more than its limit, and no error is left', async () => {
  const hanging = await startReceiver(() => {});
  closing.push(hanging);
  await start(hanging.url);
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  makeSpans(5_000);
  await expect.poll(() => hanging.received.length).toBe(1);
  const beganAt = performance.now();
  await tracing!.stop(300);
  // Without the limit it waits ten seconds for the answer.
  expect(performance.now() - beganAt).toBeLessThan(5_000);
  await hanging.close();
  await new Promise(setImmediate);
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
