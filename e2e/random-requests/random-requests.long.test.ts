// No request gets a 5xx, whatever it asks of any operation of the document, about things that exist or not.
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyRequest, operationsOf, type RandomRequest } from './any-request.ts';

const requestCount = 4_000;
/** They take half a minute, and more beside other tests. */
const limitMs = 300_000;
/** They race, as those of several administrators do. */
const atOnce = 5;
/** The gateway gives each request 10 s. */
const answerLimitMs = 20_000;
const admin = '/api/admin';

let system: TestSystem;
let signalToken: string;
let frontendToken: string;

beforeAll(async () => {
  system = await startSystem();
  const make = async (path: string, body: object) => (await system.call('POST', admin + path, { body })).body;
  await make('/projects', { id: 'shop', name: 'Shop' });
  for (const [project, name] of [
    ['default', 'checkout'],
    ['shop', 'basket'],
  ]) {
    await make(`/projects/${project}/features`, { name });
    for (const environment of ['development', 'production']) {
      await make(`/projects/${project}/features/${name}/environments/${environment}/strategies`, { name: 'default' });
    }
  }
  const endpoint = await make('/signal-endpoints', { name: 'alerts' });
  signalToken = `Bearer ${(await make(`/signal-endpoints/${endpoint.id}/tokens`, { name: 'sender' })).token}`;
  const token = { type: 'frontend', tokenName: 'page', environment: 'development', projects: ['*'] };
  frontendToken = (await make('/api-tokens', token)).secret;
});
afterAll(() => system?.stop());

function tokenFor(path: string): string {
  if (path.startsWith('/api/signal-endpoint')) return signalToken;
  if (path.startsWith('/api/frontend') || path.startsWith('/ofrep')) return frontendToken;
  return path.startsWith(admin) ? system.adminToken : system.clientTokens.development;
}

/** The answer, or what happened instead. */
async function send({ operation, path, headers, body }: RandomRequest) {
  try {
    const answer = await fetch(system.url + path, {
      method: operation.method,
      headers: { authorization: tokenFor(operation.path), ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(answerLimitMs),
      ...(body !== undefined && { body }),
    });
    const type = answer.headers.get('content-type') ?? '';
    // A stream has no end.
    const isStream = type.startsWith('text/event-stream');
    if (isStream) await answer.body?.cancel();
    const text = isStream ? '' : await answer.text();
    return { status: answer.status, text, body: /[/+]json\b/.test(type) ? JSON.parse(text) : null };
  } catch (error) {
    return { status: 0, text: String(error), body: null };
  }
}

/** Adds the identifiers of an answer. With those of admin tokens, the test's own token would soon be deleted. */
function learn(value: unknown, known: Set<string>): void {
  if (typeof value !== 'object' || value === null || known.size > 2_000) return;
  if ('type' in value && value.type === 'admin') return;
  for (const [key, each] of Object.entries(value)) {
    if (/^(id|name|secret|token|appName|featureName)$|Id$/.test(key) && ['string', 'number'].includes(typeof each)) {
      known.add(String(each));
    } else learn(each, known);
  }
}

test('random requests of every operation get an answer that is no 5xx', { timeout: limitMs }, async () => {
  const document = (await system.call('GET', '/docs/openapi.json')).body;
  // It would refuse all others.
  const operations = operationsOf(document).filter(({ operationId }) => operationId !== 'toggleMaintenance');
  const known = new Set(['checkout']);
  const statuses = new Map<number, number>();
  const asked = new Set<string>();
  const failures: object[] = [];
  async function ask(request: RandomRequest): Promise<void> {
    const { operation, path, headers, body } = request;
    const { status, text, body: answered } = await send(request);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    asked.add(operation.operationId);
    if (status === 0 || status >= 500) {
      failures.push({ call: `${operation.method} ${path}`, headers, body: body?.slice(0, 2_000), status, text });
    }
    if (status < 300) learn(answered, known);
  }
  const property = fc.asyncProperty(fc.gen(), async (g) => {
    const names = [...known];
    await Promise.all(Array.from({ length: atOnce }, () => ask(anyRequest(g, operations, names))));
  });
  await fc.assert(property, { numRuns: requestCount / atOnce, endOnFailure: true });
  expect(failures).toEqual([]);
  // Most operations were asked for, and did something.
  expect(asked.size).toBeGreaterThan(0.9 * operations.length);
  expect(statuses.get(200)).toBeGreaterThan(requestCount / 10);
  expect((await system.call('GET', `${admin}/projects`)).status).toBe(200);
});
