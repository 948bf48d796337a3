// Proves, with real endpoints, a real bus and Postgres, who gets which event, how often, in which order, and what is kept of it.
// Does not assert the length of waits (delivery.test.ts does): time is let pass in the tables.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventSchema } from '@yardarm/shared/contracts/events';
import { createTestDatabase, eventually, type TestDatabase } from '@yardarm/testing';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { IntegrationsRig } from '../testing/integrations-rig.ts';

interface Call {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  eventId: number;
}

type Answer = (call: Call, response: ServerResponse) => unknown;

let database: TestDatabase;
let rig: IntegrationsRig;
const closing: (() => void)[] = [];

/** An endpoint on loopback; answers 200 until told otherwise. */
async function startEndpoint(answer: Answer = (_call, response) => response.end()) {
  const calls: Call[] = [];
  const endpoint = { calls, answer, url: '', closedConnections: 0 };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const eventId = Number(/_(\d+)$/.exec(String(request.headers['webhook-id']))?.[1]);
      const call = { path: request.url ?? '', headers: request.headers, body, eventId };
      calls.push(call);
      endpoint.answer(call, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return endpoint;
}

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_call, response) =>
    response.writeHead(code, headers).end();

beforeEach(async () => {
  database = await createTestDatabase();
  rig = await IntegrationsRig.open({
    natsUrl: inject('natsUrl'),
    databaseUrl: database.urlFor('integrations'),
    prefix: `t${randomBytes(6).toString('hex')}`,
  });
});

afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await rig.close();
  await database.drop();
});

const deliveries = () => rig.db.kysely.selectFrom('deliveries').selectAll().orderBy('event_id').execute();
const states = async () => (await deliveries()).map(({ state }) => state);
const attempts = () => rig.db.kysely.selectFrom('delivery_attempts').selectAll().orderBy('number').execute();

describe('an event that is recorded', () => {
  it('is posted as it is, with its headers, and its outcome is listed', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint(status(202));
    const { id } = await rig.create({ url: `${endpoint.url}/T00?key=1` });
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const data = { description: 'grüße \u0000 \u{1F6A2}', nested: { z: 1, a: [null] } };
    const [recorded] = await rig.record({ data, traceparent, createdByUsername: 'ada' });
    await service.processAll();

    const event = eventSchema.parse(recorded);
    const [call, ...more] = endpoint.calls;
    expect(more).toEqual([]);
    expect(JSON.parse(call!.body)).toEqual(event);
    expect(call).toMatchObject({
      path: '/hook/T00?key=1',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'yardarm',
        'webhook-id': `evt_${id}_${event.id}`,
        traceparent: expect.stringMatching(/^00-a{32}-(?!b{16})[0-9a-f]{16}-01$/),
      },
    });
    expect(Math.abs(Number(call!.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(30);
    expect(await rig.outcomes(id)).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        integrationId: id,
        createdAt: expect.any(String),
        state: 'success',
        stateDetails: 'Webhook request was successful with status code: 202.',
        event,
        details: { url: new URL(endpoint.url).origin, body: call!.body },
      },
    ]);
    expect(await attempts()).toMatchObject([{ number: 1, status: 202, error_code: null }]);
  });

  it('is posted through the template, the content type and the headers of the integration', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint();
    const { id } = await rig.create({
      url: endpoint.url,
      parameters: {
        contentType: 'text/plain',
        authorization: 'Bearer x',
        customHeaders: '{"X-Team":"a"}',
        bodyTemplate: '{{event.type}}: {{{eventMarkdown}}}',
      },
    });
    await rig.record({});
    await service.processAll();
    const body = 'feature-created: **ada** created **checkout** in project **default**';
    expect(endpoint.calls).toMatchObject([
      { body, headers: { 'content-type': 'text/plain', authorization: 'Bearer x', 'x-team': 'a' } },
    ]);
    expect(await rig.outcomes(id)).toMatchObject([{ details: { body } }]);
  });

  it('goes to those that want it, and to no other', async () => {
    const service = await rig.start();
    const [all, created, elsewhere] = [await startEndpoint(), await startEndpoint(), await startEndpoint()];
    await rig.create({ url: all.url });
    await rig.create({ url: created.url, events: ['feature-created'], environments: ['production'] });
    await rig.create({ url: elsewhere.url, projects: ['elsewhere'] });
    await rig.record(
      { type: 'feature-created' },
      { type: 'feature-archived' },
      { type: 'user-created', project: null },
    );
    await service.processAll();
    const got = ({ calls }: { calls: Call[] }) => calls.map(({ eventId }) => eventId).sort();
    expect([got(all), got(created), got(elsewhere)]).toEqual([[1, 2, 3], [1], [3]]);
  });

  it('makes one delivery however often it is told', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint();
    const { id } = await rig.create({ url: endpoint.url });
    const [event] = await rig.record({});
    await rig.publish(event!);
    await service.processAll();
    await rig.publish(event!);
    await service.processAll();
    expect(endpoint.calls).toHaveLength(1);
    expect(await rig.outcomes(id)).toHaveLength(1);
  });

  it('is not held up by a message that is no event', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint();
    await rig.create({ url: endpoint.url });
    await rig.publish({ type: 'nonsense' });
    await rig.record({});
    await service.processAll();
    expect(endpoint.calls).toHaveLength(1);
    expect(rig.logged.some((line) => line.includes('a message of RECORDED is no event'))).toBe(true);
  });

  it('makes one delivery also when the position is gone and everything is read again', async () => {
    const first = await rig.start();
    const endpoint = await startEndpoint();
    await rig.create({ url: endpoint.url });
    await rig.record({}, {}, {});
    await first.processAll();
    await rig.stop(first);
    await rig.db.kysely.updateTable('intake').set({ incarnation: 'another', last_sequence: 99 }).execute();
    await (await rig.start()).processAll();
    expect(endpoint.calls).toHaveLength(3);
    expect(await deliveries()).toHaveLength(3);
  });
});

describe('what came before', () => {
  it('does not go to a new integration', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint();
    await rig.record({}, {});
    await rig.create({ url: endpoint.url });
    await rig.record({});
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([3]);
  });

  it('does not go to an integration that was disabled meanwhile, nor what it had left when it was', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint(status(500));
    const { id } = await rig.create({ url: endpoint.url });
    await rig.record({});
    await service.processAll();
    expect(await states()).toEqual(['waiting']);
    await rig.update(id, { enabled: false });
    expect(await states()).toEqual(['cancelled']);
    await rig.record({}, {});
    await service.processAll();
    await rig.update(id, { enabled: true });
    await rig.record({});
    await rig.passRetryTime();
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([1, 4]);
  });

  it('is not tried again when the integration was disabled while it was sent', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint();
    const { id } = await rig.create({ url: endpoint.url });
    endpoint.answer = async (_call, response) => {
      await rig.update(id, { enabled: false });
      response.writeHead(500).end();
    };
    await rig.record({});
    await service.processAll();
    expect(await states()).toEqual(['cancelled']);
    expect(await rig.outcomes(id)).toMatchObject([{ state: 'failed' }]);
  });

  it('is not tried again when the integration was disabled and enabled again while it was sent', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint();
    const { id } = await rig.create({ url: endpoint.url });
    endpoint.answer = async (_call, response) => {
      await rig.update(id, { enabled: false });
      await rig.update(id, { enabled: true });
      response.writeHead(500).end();
    };
    await rig.record({});
    await service.processAll();
    expect(await states()).toEqual(['cancelled']);
    expect(await rig.outcomes(id)).toMatchObject([{ state: 'failed' }]);
  });

  it('does not go to one that was enabled again, even if the intake is late with it', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint();
    const { id } = await rig.create({ url: endpoint.url });
    await rig.update(id, { enabled: false });
    rig.head = 5;
    await rig.update(id, { enabled: true });
    // What an intake makes that looked at the integrations before all this and commits after it.
    await rig.db.kysely.insertInto('handled_events').values({ id: 4, event: '{}', traceparent: null }).execute();
    await rig.db.kysely
      .insertInto('deliveries')
      .values({ integration_id: id, event_id: 4, ordering_key: 1, claim: null, claimed_until: null, outcome_id: null })
      .execute();
    await service.processAll();
    await rig.record({});
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([6]);
  });
});

describe('an attempt that failed', () => {
  it('is made again under the same webhook-id, and its outcome keeps id and time', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint(status(500));
    const { id } = await rig.create({ url: endpoint.url });
    await rig.record({});
    await service.processAll();
    const [failed] = await rig.outcomes(id);
    expect(failed).toMatchObject({ state: 'failed', stateDetails: 'Webhook request failed with status code: 500' });

    await service.processAll();
    expect(endpoint.calls).toHaveLength(1);
    endpoint.answer = status(200);
    await rig.passRetryTime();
    await service.processAll();
    expect(await rig.outcomes(id)).toEqual([
      { ...failed, state: 'success', stateDetails: 'Webhook request was successful with status code: 200.' },
    ]);
    expect(new Set(endpoint.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(endpoint.calls.map(({ body }) => body)).size).toBe(1);
    expect(await attempts()).toMatchObject([{ status: 500 }, { status: 200 }]);
    expect(await deliveries()).toMatchObject([{ state: 'succeeded', attempts: 2 }]);
  });

  it('is made ten times and then given up, and the outcome says failed', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint(status(503));
    const { id } = await rig.create({ url: endpoint.url });
    await rig.record({});
    for (let attempt = 0; attempt < 12; attempt++) {
      await service.processAll();
      await rig.passRetryTime();
    }
    expect(endpoint.calls).toHaveLength(10);
    expect(await states()).toEqual(['gave-up']);
    expect(await attempts()).toHaveLength(10);
    expect(await rig.outcomes(id)).toMatchObject([{ state: 'failed' }]);
  });

  it('waits as long as Retry-After asks', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint(status(429, { 'retry-after': '7200' }));
    await rig.create({ url: endpoint.url });
    await rig.record({});
    await service.processAll();
    const inSeconds = ((await deliveries())[0]!.next_attempt_at.getTime() - Date.now()) / 1_000;
    expect(inSeconds).toBeGreaterThan(7_100);
    expect(inSeconds).toBeLessThan(7_200 * 1.1 + 10);
  });

  it('because nobody listens is told by its code', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint();
    for (const close of closing.splice(0)) close();
    const { id } = await rig.create({ url: endpoint.url });
    await rig.record({});
    await service.processAll();
    expect(await rig.outcomes(id)).toMatchObject([
      { state: 'failed', stateDetails: 'Webhook request failed with status code: ECONNREFUSED' },
    ]);
    expect(await attempts()).toMatchObject([{ status: null, error_code: 'ECONNREFUSED' }]);
  });

  it('because the address is private is told in words, and nobody was called', async () => {
    const service = await rig.start({ INTEGRATIONS_ALLOWED_PRIVATE: '' });
    const endpoint = await startEndpoint();
    const { id } = await rig.create({ url: endpoint.url });
    await rig.record({});
    await service.processAll();
    expect(endpoint.calls).toEqual([]);
    const [outcome] = await rig.outcomes(id);
    expect(outcome).toMatchObject({ state: 'failed' });
    expect(outcome!.stateDetails).toContain('refused and not sent: the address is not a public one');
    expect(await states()).toEqual(['waiting']);
  });

  it('keeps the beginning of the answer, whatever bytes it has', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint((_call, response) =>
      response.writeHead(400).end(`no\u0000${'x'.repeat(5_000)}`),
    );
    await rig.create({ url: endpoint.url });
    await rig.record({});
    await service.processAll();
    expect((await attempts())[0]!.response_body).toMatch(/^nox{1021}$/);
  });

  it('with 410 disables the integration, says so as the system, and cancels what is left', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint((call, response) => response.writeHead(call.eventId === 2 ? 410 : 500).end());
    const { id } = await rig.create({ url: endpoint.url });
    await rig.record({});
    await service.processAll();
    await rig.record({});
    await service.processAll();
    expect(await states()).toEqual(['cancelled', 'gave-up']);
    expect((await rig.events()).at(-1)).toMatchObject({
      type: 'addon-config-updated',
      createdBy: 'yardarm-system',
      createdByUserId: -1337,
      data: { id, enabled: false },
      preData: { id, enabled: true },
    });
    await rig.record({});
    await rig.passRetryTime();
    await service.processAll();
    expect(endpoint.calls).toHaveLength(2);
  });

  it('with 410 leaves an integration alone that has another endpoint since', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint();
    const { id } = await rig.create({ url: endpoint.url });
    endpoint.answer = async (_call, response) => {
      await rig.update(id, { parameters: { url: `${endpoint.url}/new` } });
      response.writeHead(410).end();
    };
    await rig.record({});
    await service.processAll();
    expect(await rig.db.kysely.selectFrom('integrations').select('enabled').execute()).toEqual([{ enabled: true }]);
  });
});

describe('order and independence', () => {
  it('events of one flag are sent one after the other, in their order', async () => {
    const service = await rig.start();
    const underWay: string[] = [];
    const overlaps: string[] = [];
    const endpoint = await startEndpoint((call, response) => {
      const flag = JSON.parse(call.body).featureName;
      if (underWay.includes(flag)) overlaps.push(flag);
      underWay.push(flag);
      setTimeout(() => {
        underWay.splice(underWay.indexOf(flag), 1);
        response.end();
      }, Math.random() * 15);
    });
    await rig.create({ url: endpoint.url });
    const flags = ['a', 'b', 'c', 'd', 'e'];
    // Runs of one flag, so that its next is always the next in line.
    await rig.record(...Array.from({ length: 50 }, (_, n) => ({ featureName: flags[Math.floor(n / 10)]! })));
    await service.processAll();
    expect(endpoint.calls).toHaveLength(50);
    for (const flag of flags) {
      const ofFlag = endpoint.calls.filter(({ body }) => JSON.parse(body).featureName === flag);
      const ids = ofFlag.map(({ eventId }) => eventId);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    }
    expect(overlaps).toEqual([]);
  });

  it('an event that waits to be tried again holds up no newer one of its flag', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint((call, response) => response.writeHead(call.eventId === 1 ? 500 : 200).end());
    await rig.create({ url: endpoint.url });
    await rig.record({}, {}, {});
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([1, 2, 3]);
    endpoint.answer = status(200);
    await rig.passRetryTime();
    await service.processAll();
    expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([1, 2, 3, 1]);
    expect(await states()).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  it('nor does one that is being tried again', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint(status(500));
    await rig.create({ url: endpoint.url });
    await rig.record({});
    await service.processAll();
    const held: ServerResponse[] = [];
    endpoint.answer = (_call, response) => held.push(response);
    await rig.passRetryTime();
    await eventually(() => expect(held).toHaveLength(1));
    endpoint.answer = status(200);
    await rig.record({});
    await eventually(async () => expect(await states()).toEqual(['sending', 'succeeded']));
    held[0]!.end();
  });

  it('an endpoint that hangs delays no other', async () => {
    const service = await rig.start();
    const held: ServerResponse[] = [];
    const hanging = await startEndpoint((_call, response) => held.push(response));
    const quick = await startEndpoint();
    await rig.create({ url: hanging.url });
    await rig.create({ url: quick.url });
    await rig.record(...Array.from({ length: 40 }, (_, n) => ({ featureName: `flag-${n}` })));
    await eventually(() => expect(quick.calls).toHaveLength(40));
    await eventually(() => expect(held).toHaveLength(4));
    hanging.answer = (_call, response) => response.end();
    for (const response of held) response.end();
    await service.processAll();
    expect(hanging.calls).toHaveLength(40);
  });

  it('two replicas deliver each event once, and the outcomes have dense positions and rising ids', async () => {
    const [one, two] = [await rig.start(), await rig.start()];
    const endpoint = await startEndpoint();
    const { id } = await rig.create({ url: endpoint.url });
    await rig.record(...Array.from({ length: 60 }, (_, n) => ({ featureName: `flag-${n % 20}` })));
    await eventually(async () => {
      await Promise.all([one.processAll(), two.processAll()]);
      expect(await rig.outcomes(id)).toHaveLength(60);
    });
    expect(endpoint.calls).toHaveLength(60);
    const rows = await rig.db.kysely.selectFrom('outcomes').select(['id', 'position']).orderBy('id').execute();
    expect(rows.map(({ position }) => position)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
  });

  it('the other replica goes on reading when the one that reads stops', async () => {
    const [one, two] = [await rig.start(), await rig.start()];
    const endpoint = await startEndpoint();
    await rig.create({ url: endpoint.url });
    await rig.record({});
    await one.processAll();
    await rig.stop(one);
    await rig.record({});
    await two.processAll();
    await eventually(() => expect(endpoint.calls.map(({ eventId }) => eventId)).toEqual([1, 2]));
  });
});

describe('a process that ends while it sends', () => {
  it('by SIGKILL leaves the delivery to the next: sent again, one outcome', async () => {
    const endpoint = await startEndpoint();
    const setUp = await rig.start();
    const { id } = await rig.create({ url: endpoint.url });
    await rig.stop(setUp);
    const child = rig.startProcess();
    let killed = false;
    endpoint.answer = (_call, response) => {
      // The request has arrived; the answer never will, so nothing can have been recorded.
      killed = child.kill('SIGKILL');
      child.once('exit', () => response.destroy());
    };
    await rig.record({});
    await eventually(() => expect([killed, child.signalCode]).toEqual([true, 'SIGKILL']));
    expect(await deliveries()).toMatchObject([{ state: 'sending', attempts: 1, outcome_id: null }]);

    endpoint.answer = status(200);
    const successor = await rig.start();
    await successor.processAll();
    // Not before the claim has run out: the other might live.
    expect(endpoint.calls).toHaveLength(1);
    await rig.passClaimTime();
    await successor.processAll();
    expect(endpoint.calls.map(({ headers }) => headers['webhook-id'])).toEqual([`evt_${id}_1`, `evt_${id}_1`]);
    expect(await rig.outcomes(id)).toMatchObject([{ state: 'success' }]);
    expect(await attempts()).toMatchObject([
      { number: 1, error_code: 'interrupted' },
      { number: 2, status: 200 },
    ]);
  });

  it('by being stopped gives it back when the endpoint takes too long, due at once', async () => {
    const endpoint = await startEndpoint(() => undefined);
    const first = await rig.start();
    const { id } = await rig.create({ url: endpoint.url });
    await rig.record({});
    await eventually(() => expect(endpoint.calls).toHaveLength(1));
    const before = Date.now();
    await rig.stop(first);
    expect(Date.now() - before).toBeLessThan(9_500);
    expect(await deliveries()).toMatchObject([{ state: 'pending', attempts: 1, outcome_id: null }]);
    endpoint.answer = status(200);
    await (await rig.start()).processAll();
    expect(endpoint.calls).toHaveLength(2);
    expect(await rig.outcomes(id)).toMatchObject([{ state: 'success' }]);
  });

  it('thought dead, but alive, changes nothing that the other has finished', async () => {
    const service = await rig.start();
    const held: ServerResponse[] = [];
    const endpoint = await startEndpoint((call, response) => {
      if (held.length === 0) held.push(response);
      else status(200)(call, response);
    });
    const { id } = await rig.create({ url: endpoint.url });
    await rig.record({});
    await eventually(() => expect(held).toHaveLength(1));
    await rig.passClaimTime();
    await eventually(async () => expect(await states()).toEqual(['succeeded']));
    held[0]!.writeHead(500).end();
    await service.processAll();
    expect(await deliveries()).toMatchObject([{ state: 'succeeded', attempts: 2 }]);
    expect(await rig.outcomes(id)).toMatchObject([{ state: 'success' }]);
    expect(await attempts()).toMatchObject([
      { number: 1, status: 500, error_code: null },
      { number: 2, status: 200 },
    ]);
  });
});

describe('outcomes', () => {
  it('are listed newest first, by limit and offset', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint();
    const { id } = await rig.create({ url: endpoint.url });
    await rig.record(...Array.from({ length: 7 }, () => ({})));
    await service.processAll();
    const ids = async (page: object) => (await rig.outcomes(id, page)).map(({ event }) => event.id);
    expect(await ids({})).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(await ids({ limit: 3 })).toEqual([7, 6, 5]);
    expect(await ids({ limit: 3, offset: 5 })).toEqual([2, 1]);
    expect(await ids({ offset: 7 })).toEqual([]);
    expect(await ids({ offset: Number.MAX_SAFE_INTEGER })).toEqual([]);
  });

  it('that are large travel in pieces that fit', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint();
    const { id } = await rig.create({ url: endpoint.url });
    const large = () => ({ data: { text: '"'.repeat(100_000) } });
    await rig.record(large(), {}, large(), {}, {}, large());
    await service.processAll();
    const pieces = await rig.pieces(id);
    expect(pieces.flat().map(({ event }) => event.id)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(pieces.length).toBeGreaterThan(2);
  });

  it('go with their integration', async () => {
    const service = await rig.start();
    const endpoint = await startEndpoint();
    const { id } = await rig.create({ url: endpoint.url });
    await rig.record({});
    await service.processAll();
    await rig.db.kysely.deleteFrom('integrations').where('id', '=', id).execute();
    expect([await deliveries(), await attempts()]).toEqual([[], []]);
    expect(await rig.db.kysely.selectFrom('outcomes').selectAll().execute()).toEqual([]);
  });
});

it('secrets are in no answer, event, outcome or log line, whatever happens', async () => {
  const service = await rig.start();
  const endpoint = await startEndpoint();
  const secrets = ['s3cret-path', 's3cret-authorization', 's3cret-refused', 's3cret-header'];
  const parameters = { authorization: 'Bearer s3cret-authorization' };
  const seen: unknown[] = [];
  const made = await rig.create({ url: `${endpoint.url}/s3cret-path`, parameters });
  seen.push(
    made,
    await rig.update(made.id, { description: 'x', parameters: { url: '*****', authorization: '*****' } }),
  );
  const refused: Parameters<typeof rig.create>[0][] = [
    { url: 'not-a-url-s3cret-refused' },
    { url: endpoint.url, parameters: { customHeaders: '{"x-key":"s3cret-header\\n"}' } },
    { url: endpoint.url, parameters: { authorization: 's3cret-refused\n' } },
  ];
  for (const bad of refused) {
    seen.push(
      await rig.create(bad).then(
        () => 'taken',
        (error: Error & { details?: unknown }) => [error.message, error.details],
      ),
    );
  }
  await rig.record({});
  await service.processAll();
  expect(endpoint.calls).toMatchObject([
    { path: '/hook/s3cret-path', headers: { authorization: 'Bearer s3cret-authorization' } },
  ]);
  endpoint.answer = status(500);
  await rig.record({});
  await service.processAll();
  for (const close of closing.splice(0)) close();
  await rig.record({});
  await service.processAll();
  seen.push(await rig.outcomes(made.id), await rig.events(), await attempts());
  const everything = JSON.stringify(seen) + rig.logged.join('\n');
  expect(everything).not.toContain('taken');
  for (const secret of secrets) expect(everything).not.toContain(secret);
});
