// Proves: a request reaches one replica and is answered; a refusal, a missing service and a timeout are three errors; a
// refused request never reaches the handler; internal errors stay in the log. A lost server is in restart.int.test.ts.
import { headers } from '@nats-io/transport-node';
import { startTestNats, type TestNats } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { hint, request } from '../contracts/contract.ts';
import { AppError } from '../errors/index.ts';
import type { ServedContext } from './bus.ts';
import { headerNames, requestHeaders } from './headers.ts';
import { contextWith, dial, keepingLogger, openBuses, thrownBy } from './testing/bus-rig.ts';
import { pollUntil } from './waiting.ts';

let nats: TestNats;
const { log, lines } = keepingLogger();
const buses = openBuses(log);

beforeAll(async () => {
  nats = await startTestNats();
});
afterEach(async () => {
  await buses.drain();
  lines.length = 0;
});
afterAll(() => nats.remove());

const busWith = (prefix = '') => buses.connect({ url: nats.url, prefix });

const renameFlag = request({
  name: 'flags.feature.rename',
  writes: true,
  summary: 'for this test',
  input: z.object({ projectId: z.string(), name: z.string(), priority: z.number().default(1) }),
  output: z.object({ name: z.string(), priority: z.number() }),
  errors: ['not-found'],
  permission: 'UPDATE_FEATURE',
});
const input = { projectId: 'default', name: 'dark.mode' };

test('a request is parsed on both ends and carries its context', async () => {
  const [server, client] = [await busWith(), await busWith()];
  let served: ServedContext | null = null;
  server.serve(renameFlag, async ({ name, priority }, context) => {
    served = context;
    return { name: `${name}!`, priority, secretColumn: 1 } as { name: string; priority: number };
  });
  await server.flush();
  const actor = {
    kind: 'user' as const,
    id: 7,
    username: 'Ünïcödé ☃ \r\n x',
    grants: [{ permissions: ['ADMIN' as const] }],
  };
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const begun = Date.now();
  const context = contextWith({ actor, traceparent, requestId: 'ид-1' });
  expect(await client.request(renameFlag, input, context)).toEqual({ name: 'dark.mode!', priority: 1 });
  expect(served).toMatchObject({ actor, traceparent, requestId: 'ид-1' });
  // Later by the time in transit; both values are rounded.
  const laterMs = (served as unknown as ServedContext).deadline - context.deadline;
  expect(laterMs).toBeGreaterThanOrEqual(-1);
  expect(laterMs).toBeLessThanOrEqual(Date.now() - begun + 1);
});

test('a missing service, a timeout and a refusal are three different errors', async () => {
  const [server, client] = [await busWith(), await busWith()];
  expect(await thrownBy(() => client.request(renameFlag, input, contextWith()))).toMatchObject({
    code: 'unavailable',
    message: 'The flags service is not available.',
    retryAfterSeconds: 1,
  });
  let release = (): void => {};
  server.serve(renameFlag, async ({ name }) => {
    if (name === 'slow') await new Promise<void>((resolve) => (release = resolve));
    const details = [{ message: 'no flag', path: '.name' }];
    throw new AppError('not-found', `There is no ${name}.`, { details, retryAfterSeconds: 9 });
  });
  await server.flush();
  expect(await thrownBy(() => client.request(renameFlag, input, contextWith()))).toMatchObject({
    code: 'not-found',
    message: 'There is no dark.mode.',
    details: [{ message: 'no flag', path: '.name' }],
    retryAfterSeconds: 9,
  });
  const slow = () =>
    client.request(renameFlag, { ...input, name: 'slow' }, contextWith({ deadline: Date.now() + 200 }));
  expect(await thrownBy(slow)).toMatchObject({ code: 'timeout', message: expect.stringContaining('unknown') });
  release();
});

test('a request that does not fit the schema is refused with property and value, and not handled', async () => {
  const [server, client] = [await busWith(), await busWith()];
  let handled = 0;
  server.serve(renameFlag, async ({ name, priority }) => {
    handled += 1;
    return { name, priority };
  });
  await server.flush();
  const ask = (wrong: object) => thrownBy(() => client.request(renameFlag, wrong as typeof input, contextWith()));
  expect(await ask({ ...input, priority: 'high' })).toMatchObject({
    code: 'validation',
    message:
      'The request payload you provided doesn\'t conform to the schema. The .priority property should be number. You sent "high".',
  });
  expect(await ask({ priority: 'high' })).toMatchObject({
    code: 'validation',
    message:
      "The request payload you provided doesn't conform to the schema. See `details` for a list of errors that occurred.",
    details: [{ path: '.projectId' }, { path: '.name' }, { path: '.priority' }],
  });
  expect(handled).toBe(0);
});

test('the permission is checked in the project that the input names, before the handler', async () => {
  const [server, client] = [await busWith(), await busWith()];
  let handled = 0;
  server.serve(renameFlag, async ({ name, priority }) => {
    handled += 1;
    return { name, priority };
  });
  await server.flush();
  const actor = (project: string) => ({
    kind: 'user' as const,
    id: 1,
    username: 'ann',
    grants: [{ permissions: ['UPDATE_FEATURE' as const], projects: [project] }],
  });
  expect(await thrownBy(() => client.request(renameFlag, input, contextWith({ actor: actor('other') })))).toMatchObject(
    {
      code: 'no-access',
      message: 'You need the "UPDATE_FEATURE" permission to perform this action.',
    },
  );
  expect(await thrownBy(() => client.request(renameFlag, input, contextWith({ actor: null })))).toMatchObject({
    code: 'no-access',
  });
  expect(handled).toBe(0);
  await client.request(renameFlag, input, contextWith({ actor: actor('default') }));
  expect(handled).toBe(1);
});

test('an unknown error, a refusal that the contract does not list and a wrong answer stay in the log', async () => {
  const [server, client] = [await busWith(), await busWith()];
  const wrongs: (() => unknown)[] = [
    () => {
      throw new Error('password=hunter2 at db.internal');
    },
    () => {
      throw new AppError('name-exists', 'hunter2 exists');
    },
    () => ({ name: 5 }),
  ];
  let wrong = wrongs[0] as () => unknown;
  server.serve(renameFlag, async () => wrong() as { name: string; priority: number });
  await server.flush();
  for (wrong of wrongs) {
    lines.length = 0;
    expect(await thrownBy(() => client.request(renameFlag, input, contextWith()))).toMatchObject({
      code: 'internal',
      message: 'Something went wrong on our side. Request id: req-1.',
    });
    expect(lines.filter(({ level }) => level >= 50)).toMatchObject([
      { requestId: 'req-1', contract: 'flags.feature.rename' },
    ]);
  }
});

test('two replicas share the requests', async () => {
  const client = await busWith();
  const handled = [0, 0];
  for (const replica of [0, 1]) {
    const server = await busWith();
    server.serve(renameFlag, async ({ name, priority }) => {
      handled[replica] = (handled[replica] ?? 0) + 1;
      return { name, priority };
    });
    await server.flush();
  }
  await pollUntil(async () => {
    await Promise.all(Array.from({ length: 20 }, () => client.request(renameFlag, input, contextWith())));
    if (handled.includes(0)) throw new Error(`one replica alone answers: ${handled}`);
  });
  const [before = 0, other = 0] = handled;
  await client.request(renameFlag, input, contextWith());
  expect((handled[0] ?? 0) + (handled[1] ?? 0)).toBe(before + other + 1);
});

const cacheHint = hint({
  name: 'flags.revision-changed',
  summary: 'for this test',
  payload: z.object({ revision: z.number() }),
});

test('two installations on one server do not receive messages of each other', async () => {
  const [one, two] = [await busWith('one'), await busWith('two')];
  one.serve(renameFlag, async () => ({ name: 'of one', priority: 1 }));
  const received: number[] = [];
  two.onHint(cacheHint, ({ revision }) => received.push(revision));
  await two.flush();
  expect(await thrownBy(() => two.request(renameFlag, input, contextWith()))).toMatchObject({ code: 'unavailable' });
  one.hint(cacheHint, { revision: 1 });
  two.hint(cacheHint, { revision: 2 });
  await pollUntil(async () => expect(received).toEqual([2]));

  await Promise.all([one.ensureStreams(['EVENTS']), two.ensureStreams(['EVENTS'])]);
  await one.publish('evt.flags.feature-created', {}, { msgId: 'same' });
  expect(await two.publish('evt.flags.feature-created', {}, { msgId: 'same' })).toEqual({
    sequence: 1,
    duplicate: false,
  });
});

test('a hint without a listener, an invalid hint and a failing listener throw no error', async () => {
  const bus = await busWith();
  bus.hint(cacheHint, { revision: 1 });
  bus.hint(cacheHint, { revision: 'x' as unknown as number });
  const received: number[] = [];
  bus.onHint(cacheHint, ({ revision }) => {
    received.push(revision);
    if (revision === 1) throw new Error('not today');
  });
  bus.hint(cacheHint, { revision: 1 });
  bus.hint(cacheHint, { revision: 2 });
  await pollUntil(async () => expect(received).toEqual([1, 2]));
});

test('a request that comes after its deadline is not started', async () => {
  const [server, client] = [await busWith(), await busWith()];
  let handled = 0;
  server.serve(renameFlag, async ({ name, priority }) => {
    handled += 1;
    return { name, priority };
  });
  await server.flush();
  expect(
    await thrownBy(() => client.request(renameFlag, input, contextWith({ deadline: Date.now() - 1 }))),
  ).toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('nothing was done'),
  });
  await client.request(renameFlag, input, contextWith());
  // As from a buffer, minutes later.
  const raw = await dial(nats.url, '_INBOX.gateway.flags');
  const late = headers();
  late.set(headerNames.deadline, String(Date.now() - 120_000));
  late.set(headerNames.timeoutMs, '5000');
  const reply = await raw.request('rpc.flags.feature.rename', JSON.stringify(input), { timeout: 2_000, headers: late });
  expect(reply.headers?.get(headerNames.error)).toBe('timeout');
  await raw.close();
  expect(handled).toBe(1);
});

test('an input that is larger than a message is an error, and so is an output for another program', async () => {
  const [server, client] = [await busWith(), await busWith()];
  const name = 'x'.repeat(2_000_000);
  server.serve(renameFlag, async ({ priority }) => ({ name, priority }));
  await server.flush();
  expect(await thrownBy(() => client.request(renameFlag, { ...input, name }, contextWith()))).toMatchObject({
    code: 'content-too-large',
  });
  expect(await client.request(renameFlag, input, contextWith())).toMatchObject({ name });
  // It does not say that it accepts frames.
  const raw = await dial(nats.url, '_INBOX.gateway.flags');
  const sent = requestHeaders(contextWith(), 2_000, 'frames');
  sent.delete(headerNames.accept);
  const body = JSON.stringify(input);
  const reply = await raw.request('rpc.flags.feature.rename', body, { timeout: 2_000, headers: sent });
  expect(reply.headers?.get(headerNames.error)).toBe('internal');
  expect(JSON.stringify(lines)).toContain('larger than a message may be');
  await raw.close();
});

test('a change leaves one line with its actor and trace, done or refused, and a read none', async () => {
  const [server, client] = [await busWith(), await busWith()];
  const read = { ...renameFlag, name: 'flags.feature.get', writes: false };
  server.serve(renameFlag, async ({ name }) => {
    if (name === 'missing') throw new AppError('not-found', 'No such flag.');
    return { name, priority: 1 };
  });
  server.serve(read, async ({ name }) => ({ name, priority: 1 }));
  await server.flush();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const context = () => contextWith({ traceparent });
  lines.length = 0;
  await client.request(read, input, context());
  await client.request(renameFlag, input, context());
  await thrownBy(() => client.request(renameFlag, { ...input, name: 'missing' }, context()));
  const about = {
    ...{ level: 30, requestId: 'req-1', traceId: '0af7651916cd43dd8448eb211c80319c', actor: 1 },
    ...{ operation: 'flags.feature.rename', durationMs: expect.any(Number) },
  };
  expect(lines).toMatchObject([
    { ...about, status: 'ok' },
    { ...about, status: 'not-found' },
  ]);
});
