// Runs the example of each README of this package. The last test compares their texts: a README has the lines of its
// example as they are here.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { can, isSameHash, makeToken, readToken } from '@yardarm/shared/auth';
import { connectBus } from '@yardarm/shared/bus';
import { commonSettings, integer, loadConfig } from '@yardarm/shared/config';
import type { Actor, Grant } from '@yardarm/shared/contracts';
import { request } from '@yardarm/shared/contracts';
import { appendEvent, createDatabase } from '@yardarm/shared/db';
import { keyringOf } from '@yardarm/shared/encryption';
import { conforming } from '@yardarm/shared/errors';
import { createGuardedClient } from '@yardarm/shared/http';
import { requireNodeInternals } from '@yardarm/shared/internals';
import { createLogger } from '@yardarm/shared/log';
import { startHealthServer } from '@yardarm/shared/service';
import { onScrape, ScrapedGauge, scrape, tracer } from '@yardarm/shared/telemetry';
import { startTracing } from '@yardarm/shared/tracing';
import { backoff, WakeUp } from '@yardarm/shared/waiting';
import { createTestDatabase, startCollector, startReceiver } from '@yardarm/testing';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';

const actor: Actor = { kind: 'user', id: 7, username: 'ann', grants: [{ permissions: ['ADMIN'] }] };
const log = createLogger({ service: 'example', level: 'silent' });

const renameNote = request({
  name: 'flags.note.rename',
  writes: true,
  summary: 'Gives a note another name',
  input: z.object({ projectId: z.string(), id: z.number().int(), name: z.string() }),
  output: z.object({ id: z.number().int(), name: z.string() }),
  errors: ['not-found'],
  permission: 'UPDATE_FEATURE',
});

test('contracts and bus: a request is answered', async () => {
  const [natsUrl, prefix] = [inject('natsUrl'), `t${process.hrtime.bigint()}`];
  const bus = await connectBus({ url: natsUrl, name: 'flags', prefix, log });
  bus.serve(renameNote, async ({ id, name }) => ({ id, name }));
  await bus.flush();

  const context = { requestId: 'r1', actor, deadline: Date.now() + 5_000, traceparent: null };
  const answer = await bus.request(renameNote, { projectId: 'web', id: 7, name: 'new' }, context);
  await bus.drain();
  expect(answer).toEqual({ id: 7, name: 'new' });
});

test('db: a change and its event are committed together', async () => {
  interface FeatureTypes {
    id: string;
    lifetime_days: number | null;
  }
  const database = await createTestDatabase();
  const url = database.urlFor('flags');
  const db = createDatabase<{ feature_types: FeatureTypes }>({ url, schema: 'flags', log });
  await db.transaction(async (trx) => {
    await trx.updateTable('feature_types').set({ lifetime_days: 50 }).where('id', '=', 'release').execute();
    appendEvent(trx, {
      type: 'feature-type-updated',
      actor,
      data: { id: 'release', lifetimeDays: 50 },
      orderingKey: 'feature-type:release',
      requestId: null,
      traceparent: null,
    });
  });
  expect(await db.kysely.selectFrom('outbox').selectAll().execute()).toHaveLength(1);
  await db.close();
  await database.drop();
});

test('service: /ready names the part that is away', async () => {
  const health = await startHealthServer({ host: '127.0.0.1', port: 0, health: async () => ({ queue: 'is full' }) });
  const answer = await fetch(`http://127.0.0.1:${health.port}/ready`);
  const body = await answer.json();
  await health.close();
  expect(answer.status).toBe(503);
  expect(JSON.stringify(body)).toContain('is full');
});

test('config: a setting is parsed', () => {
  const settings = {
    ...commonSettings,
    MAX_ITEMS: integer(1, 1_000).default(100).describe('How many items an answer has at most'),
  };
  const config = loadConfig(settings, { NATS_URL: 'nats://localhost:4222', MAX_ITEMS: '250' });
  expect(config.MAX_ITEMS).toBe(250);
});

test('log: a secret is redacted', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ service: 'flags', level: 'info', destination });
  log.info({ requestId: 'r1', token: '*:*.secret' }, 'the flag was switched on');
  expect(lines.join()).toContain('"token":"***"');
});

test('encryption: a value opens with a key of the ring', () => {
  const [currentKey, previousKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const keys = keyringOf(currentKey, [previousKey]);
  const sealed = keys.seal('a secret', 'note 7');
  const opened = keys.open(sealed, 'note 7');
  expect(opened).toBe('a secret');
  expect(sealed.text).not.toContain('secret');
});

test('errors: a body that does not match is refused', () => {
  const schema = z.object({ weight: z.number().max(1000, 'should be at most 1000') });
  function parse(body: unknown): { weight: number } {
    return conforming(schema, body);
  }
  const message = 'The .weight property should be at most 1000. You sent 2000.';
  expect(() => parse({ weight: 2000 })).toThrow(expect.objectContaining({ code: 'validation' }));
  expect(() => parse({ weight: 2000 })).toThrow(message);
});

test('auth: a token is found by its selector, and a grant covers its project', () => {
  const { token, selector, hash } = makeToken('*:development.');
  const presented = readToken(token);
  const isValid = presented?.selector === selector && isSameHash(presented.hash, hash);

  const grant: Grant = { permissions: ['UPDATE_FEATURE'], projects: ['web'] };
  const actor: Actor = { kind: 'user', id: 7, username: 'ann', grants: [grant] };
  const mayChange = can(actor, 'UPDATE_FEATURE', { project: 'web' });
  expect([isValid, mayChange, can(actor, 'UPDATE_FEATURE', { project: 'other' })]).toEqual([true, true, false]);
});

test('telemetry: a gauge is read at the scrape', async () => {
  const countWaiting = async () => 3;
  const waiting = new ScrapedGauge({ name: 'yardarm_example_waiting', help: 'How many items wait' });
  const remove = onScrape('example', async () => waiting.set(await countWaiting()));
  const text = await scrape();
  remove();
  expect(text).toContain('yardarm_example_waiting 3');
});

test('tracing: a span is exported', async () => {
  const collector = await startCollector();
  const settings = loadConfig(commonSettings, {
    NATS_URL: 'nats://unused',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  const tracing = await startTracing('flags', settings, log);
  tracer?.start('work', { kind: 'internal', attributes: { size: 7 } }).end();
  await tracing?.stop(1_000);
  await collector.close();
  expect(collector.spans).toMatchObject([{ service: 'yardarm-flags', name: 'work', attributes: { size: 7 } }]);
});

test('http: a private address is called if the operator allowed it', async () => {
  const receiver = await startReceiver();
  const receiverUrl = receiver.url;
  const client = createGuardedClient({ allowedPrivate: ['127.0.0.1'], log });
  const answer = await client.send({ url: `${receiverUrl}/hook`, method: 'POST', headers: {}, body: '{}' });
  await receiver.close();
  expect(answer.status).toBe(200);
});

test('internals: this version of Node has those that the gateway reads', async () => {
  const server = createServer((_request, response) => response.end('hello'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  requireNodeInternals(server);
  server.close();
  expect(server.listening).toBe(false);
});

test('waiting: a loop is woken', async () => {
  let works = 0;
  const work = async () => {
    works += 1;
    return true;
  };
  const wakeUp = new WakeUp();
  const stopping = new AbortController();
  const loop = (async () => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      const isDone = await work();
      failures = isDone ? 0 : failures + 1;
      await wakeUp.wait(isDone ? 60_000 : backoff(failures, { firstMs: 10, maxMs: 1_000 }), stopping.signal);
    }
  })();
  wakeUp.wake();
  await expect.poll(() => works).toBe(2);
  stopping.abort();
  await loop;
});

const { exports } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { exports: object };
const folders = [...new Set(Object.keys(exports).map((path) => path.split('/')[1] as string))];

test.each(folders)('the example of %s/README.md is in this file', (folder) => {
  const readme = readFileSync(new URL(`${folder}/README.md`, import.meta.url), 'utf8');
  const ours = readFileSync(new URL(import.meta.url), 'utf8');
  const [, imports, example] = /```ts\n((?:import .*\n)+)\n([\s\S]*?)```/.exec(readme) as unknown as [
    string,
    string,
    string,
  ];
  const withoutIndentation = (text: string) => text.replaceAll(/^ +/gm, '');
  const named = (text: string) => [...text.matchAll(/\w+(?=[ ,}].*from)|'@yardarm.*'/g)].map(([name]) => name);
  expect(named(ours)).toEqual(expect.arrayContaining(named(imports)));
  expect(withoutIndentation(ours)).toContain(withoutIndentation(example));
});
