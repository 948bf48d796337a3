// One trace has what a change or a signal causes in all services, up to the answer of a webhook. The spans arrive at a
// collector by OTLP.
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { commonSettings, loadConfig } from '@yardarm/shared/config';
import { createLogger } from '@yardarm/shared/log';
import { startTracing, type Tracing } from '@yardarm/shared/tracing';
import {
  addServiceAccount,
  grantProjectRole,
  type ReceivedSpan,
  startCollector,
  startReceiver,
  type TestCollector,
  type TestReceiver,
  type TestSystem,
} from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

const features = '/api/admin/projects/default/features';
const memberRole = 5;
let system: TestSystem;
let receiver: TestReceiver;
let collector: TestCollector;
let tracing: Tracing;
let addonId: number;

beforeAll(async () => {
  [collector, receiver, system] = await Promise.all([startCollector(), startReceiver(), startSystem()]);
  const config = loadConfig(commonSettings, { NATS_URL: 'nats://unused', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  tracing = (await startTracing('test', config, createLogger({ service: 'test', level: 'error' })))!;
  const addon = await created('/api/admin/addons', {
    ...{ provider: 'webhook', enabled: true, events: ['feature-metadata-updated', 'feature-environment-enabled'] },
    parameters: { url: `${receiver.url}/secret-path?key=secret-query`, authorization: 'secret-authorization' },
  });
  addonId = addon.id;
});
afterAll(async () => {
  await system?.stop();
  await tracing?.stop(1_000);
  await Promise.all([receiver?.close(), collector?.close()]);
});

async function created(path: string, body: object) {
  const answer = await system.call('POST', path, { body });
  if (answer.status > 201) throw new Error(`${path} answered ${answer.status} ${answer.text}`);
  return answer.body;
}

let traces = 0;
/** The trace context of a caller. */
function callerContext(flags: '00' | '01'): { traceId: string; headers: { traceparent: string } } {
  traces += 1;
  const traceId = traces.toString(16).padStart(32, 'a');
  return { traceId, headers: { traceparent: `00-${traceId}-${'b'.repeat(16)}-${flags}` } };
}

const has = (name: string) => (spans: readonly ReceivedSpan[]) => spans.some((span) => span.name === name);

/** The names from the root of the trace to the span. */
function pathTo(spans: readonly ReceivedSpan[], span: ReceivedSpan): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent === undefined ? [] : pathTo(spans, parent)), `${span.kind} ${span.name}`];
}

test('the answer of a webhook is in the trace of the PATCH that led to it', async () => {
  await created(features, { name: 'traced' });
  const { traceId, headers } = callerContext('01');
  const body = [{ op: 'replace', path: '/description', value: 'secret-description' }];
  expect((await system.call('PATCH', `${features}/traced`, { body, headers })).status).toBe(200);
  await system.processAll();
  const names = ['POST', 'deliver webhook', 'process EVENTS'];
  const spans = await collector.trace(traceId, (found) => names.every((name) => has(name)(found)));
  const call = spans.find(({ name }) => name === 'POST')!;
  expect(pathTo(spans, call)).toEqual([
    'server PATCH /api/admin/projects/:projectId/features/:featureName',
    'client flags.feature.patch',
    'server flags.feature.patch',
    'internal deliver webhook',
    'client POST',
  ]);
  expect(call).toMatchObject({
    isError: false,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(receiver.url).port),
    },
  });
  const root = spans.find(({ kind, parentSpanId }) => kind === 'server' && parentSpanId === 'b'.repeat(16));
  expect(root?.attributes).toMatchObject({ 'http.request.method': 'PATCH', 'http.response.status_code': 200 });
  expect(spans.map((span) => pathTo(spans, span).slice(-2).join(' > '))).toEqual(
    expect.arrayContaining([
      'server flags.feature.patch > client begin',
      'server flags.feature.patch > client commit',
      'server flags.feature.patch > producer publish evt.>',
      'producer publish evt.> > consumer process EVENTS',
    ]),
  );
  // The receiver continues the trace.
  expect(receiver.received.at(-1)?.headers.traceparent).toBe(`00-${traceId}-${call.spanId}-01`);
});

test('a flag that a signal switches is in the trace of the signal', async () => {
  await created(features, { name: 'switched' });
  const account = await addServiceAccount(system, 3);
  await grantProjectRole(system, 'default', memberRole, { users: [account.id] });
  const endpoint = await created('/api/admin/signal-endpoints', { name: 'alerts' });
  const { token } = await created(`/api/admin/signal-endpoints/${endpoint.id}/tokens`, { name: 'sender' });
  await created('/api/admin/projects/default/actions', {
    ...{ name: 'switch', actorId: account.id },
    match: { source: 'signal-endpoint', sourceId: endpoint.id, payload: {} },
    actions: [
      {
        ...{ action: 'TOGGLE_FEATURE_ON', sortOrder: 1 },
        executionParams: { project: 'default', environment: 'production', featureName: 'switched' },
      },
    ],
  });
  const { traceId, headers } = callerContext('01');
  const sent = await system.call('POST', '/api/signal-endpoint/alerts', {
    ...{ token: `Bearer ${token}`, body: { note: 'secret-payload' }, headers },
  });
  expect(sent.status).toBe(200);
  await system.processAll();
  const spans = await collector.trace(traceId, (found) => has('POST')(found) && has('process SIGNALS')(found));
  const commit = spans.find(({ name, parentSpanId }) => name === 'commit' && nameOf(spans, parentSpanId) === step)!;
  expect(pathTo(spans, commit)).toEqual([
    'server POST /api/signal-endpoint/:name',
    'producer publish signal.>',
    'internal run step',
    `client ${step}`,
    `server ${step}`,
    'client commit',
  ]);
  // The switch led to a webhook, too.
  expect(pathTo(spans, spans.find(({ name }) => name === 'POST')!).slice(-3)).toEqual([
    `server ${step}`,
    'internal deliver webhook',
    'client POST',
  ]);
});

const step = 'flags.step.execute';
const nameOf = (spans: readonly ReceivedSpan[], id: string) => spans.find(({ spanId }) => spanId === id)?.name;

test('a webhook that fails is an error of its delivery, with the status and the attempt', async () => {
  receiver.answerWith(503);
  const { traceId, headers } = callerContext('01');
  const body = [{ op: 'replace', path: '/description', value: 'again' }];
  await system.call('PATCH', `${features}/traced`, { body, headers });
  await system.processAll();
  const spans = await collector.trace(traceId, has('deliver webhook'));
  receiver.answerWith(200);
  const failed = spans.filter(({ isError }) => isError);
  expect(failed.map(({ name }) => name).sort()).toEqual(['POST', 'deliver webhook']);
  expect(failed.find(({ name }) => name === 'deliver webhook')?.attributes).toMatchObject({
    ...{ 'error.type': '503', 'yardarm.integration.id': addonId, 'yardarm.delivery.attempt': 1 },
    'yardarm.delivery.next': 'retry',
  });
});

test('an answer that refuses a request is no error of its spans', async () => {
  const { traceId, headers } = callerContext('01');
  const refused = await system.call('POST', features, { body: { name: 'traced' }, headers });
  expect(refused.status).toBe(409);
  const spans = await collector.trace(traceId, has(`POST ${features.replace('default', ':projectId')}`));
  expect(spans.filter(({ isError }) => isError)).toEqual([]);
  const statuses = spans.map(({ attributes }) => attributes['rpc.response.status_code']).filter(Boolean);
  expect(statuses.filter((status) => status === 'name-exists')).toHaveLength(2);
});

test('a change that its caller does not trace makes no span, and its events keep the flag', async () => {
  const { traceId, headers } = callerContext('00');
  await system.call('POST', `${features}/traced/environments/development/on`, { headers });
  await system.processAll();
  // A delivery of an earlier test that failed may be repeated after it.
  const received = receiver.received.map((delivery) => delivery.headers.traceparent);
  expect(received).toContainEqual(expect.stringMatching(`^00-${traceId}-[0-9a-f]{16}-00$`));
  // What was made before it has arrived, too.
  const later = callerContext('01');
  await system.call('GET', `${features}/traced`, { headers: later.headers });
  await collector.trace(later.traceId, (spans) => spans.length > 1);
  expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
});

test('a hot read of an SDK is a span with its route', async () => {
  const { traceId, headers } = callerContext('01');
  const token = system.clientTokens.development;
  expect((await system.call('GET', '/api/client/features', { token, headers })).status).toBe(200);
  const spans = await collector.trace(traceId, has('GET /api/client/features'));
  const read = spans.find(({ parentSpanId }) => parentSpanId === 'b'.repeat(16));
  expect(read).toMatchObject({
    ...{ kind: 'server', name: 'GET /api/client/features' },
    attributes: { 'http.route': '/api/client/features', 'http.response.status_code': 200 },
  });
});

test('several messages that are handled together link to their traces', async () => {
  const contexts = Array.from({ length: 12 }, () => callerContext('01'));
  await Promise.all(
    contexts.map(({ headers }, index) =>
      system.call('POST', features, { body: { name: `together-${index}` }, headers }),
    ),
  );
  await system.processAll();
  for (const { traceId } of contexts) {
    const [publish] = (await collector.trace(traceId, has('publish evt.>'))).filter(({ kind }) => kind === 'producer');
    const isOf = ({ name, parentSpanId, links }: ReceivedSpan) =>
      name === 'process EVENTS' &&
      (parentSpanId === publish!.spanId || links.includes(`${traceId} ${publish!.spanId}`));
    await expect.poll(() => collector.spans.some(isOf)).toBe(true);
  }
  expect(collector.spans.some(({ links, parentSpanId }) => links.length > 1 && parentSpanId === '')).toBe(true);
});

test('attributes are those of the semantic conventions, or begin with yardarm', () => {
  const known = new Set<unknown>(Object.values(conventions));
  const names = new Set(
    collector.spans.flatMap(({ attributes, resource }) => Object.keys({ ...attributes, ...resource })),
  );
  expect(names.size).toBeGreaterThan(20);
  expect([...names].filter((name) => !known.has(name) && !name.startsWith('yardarm.'))).toEqual([]);
});

test('no span has a secret, a payload, a token, a name of a person or the path of a webhook', () => {
  const text = JSON.stringify(collector.spans);
  for (const secret of ['secret', system.adminToken, ...Object.values(system.clientTokens), '@', 'admin:'])
    expect(text).not.toContain(secret);
  expect(text).not.toContain('?');
});
