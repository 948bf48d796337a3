// The log for tools: the stream of recorded events from a position, the export of a range, and the verification of the
// chain.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { metrics } from '@yardarm/shared/telemetry';
import { addPerson, addServiceAccount, longTest, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
const readers: Reader[] = [];

beforeAll(async () => {
  system = await startSystem();
});

afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});

afterAll(() => system?.stop());

interface SentEvent {
  id: string | undefined;
  event: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests read properties of events and compare them.
  data: any;
}

/** Reads a stream as an EventSource does, and keeps its events. */
class Reader {
  readonly sent: SentEvent[] = [];
  hasEnded = false;
  readonly #closing = new AbortController();

  static async open(path: string, headers: Record<string, string> = {}): Promise<Reader> {
    const reader = new Reader();
    readers.push(reader);
    // Its own connection: for each aborted one, fetch would open an idle spare connection.
    const request = get(`${system.url}${path}`, {
      headers: { authorization: system.adminToken, ...headers },
      signal: reader.#closing.signal,
      agent: false,
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    request.on('error', () => undefined);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/event-stream');
    reader
      .#read(response)
      .catch(() => undefined)
      .finally(() => {
        reader.hasEnded = true;
      });
    return reader;
  }

  async #read(body: IncomingMessage): Promise<void> {
    let text = '';
    for await (const chunk of body.setEncoding('utf8')) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
        const data = field('data');
        if (data !== undefined) this.sent.push({ id: field('id'), event: field('event'), data: JSON.parse(data) });
      }
    }
  }

  ids(): number[] {
    return this.sent.map(({ id }) => Number(id));
  }

  close(): void {
    this.#closing.abort();
  }
}

async function createFlags(...names: string[]): Promise<void> {
  for (const name of names) {
    const made = await system.call('POST', '/api/admin/projects/default/features', { body: { name } });
    expect(made.status).toBe(201);
  }
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

/** The number of reads of the log for streams in this process, which runs only this system. */
async function countReads(): Promise<number> {
  const { values } = (await metrics.getSingleMetric('yardarm_bus_served_seconds')!.get()) as {
    values: { metricName?: string; labels: Record<string, unknown>; value: number }[];
  };
  const counts = values.filter(
    ({ metricName, labels }) =>
      metricName === 'yardarm_bus_served_seconds_count' && labels.contract === 'events.event.read-after',
  );
  return counts.reduce((sum, { value }) => sum + value, 0);
}

async function headOfLog(): Promise<number> {
  await system.processAll();
  return (await system.call('GET', '/api/admin/events/verify')).body.head.id;
}

test('a reader gets every event after its position as it is recorded, without a gap', async () => {
  await createFlags('before-1', 'before-2');
  const head = await headOfLog();
  const fromStart = await Reader.open('/api/admin/events/stream?after=0');
  const fromNow = await Reader.open('/api/admin/events/stream');
  await expect.poll(() => fromStart.ids()).toEqual(upTo(head));
  await createFlags('after-1', 'after-2');
  await expect.poll(() => fromStart.ids()).toEqual(upTo(head + 2));
  expect(fromNow.ids()).toEqual([head + 1, head + 2]);
  expect(fromNow.sent[0]).toMatchObject({ data: { id: head + 1, type: 'feature-created', featureName: 'after-1' } });
  expect(fromNow.sent[0]!.data).not.toHaveProperty('createdByUsername');

  const resumed = await Reader.open('/api/admin/events/stream?after=0', { 'last-event-id': String(head) });
  await expect.poll(() => resumed.ids()).toEqual([head + 1, head + 2]);
});

test('a reader gets only the events that match its filters', async () => {
  const head = await headOfLog();
  const query = `after=${head}&type=feature-created&project=default&feature=matching`;
  const reader = await Reader.open(`/api/admin/events/stream?${query}`);
  await createFlags('before-matching', 'matching', 'matching-not');
  await expect.poll(() => reader.ids()).toEqual([head + 2]);
  expect((await system.call('GET', '/api/admin/events/stream?after=x')).status).toBe(400);
});

test.each([
  ['project=%00', '.project'],
  ['feature=%00', '.feature'],
  ['environment=%00', '.environment'],
  ['type=feature-exploded', '.type'],
])(
  'a stream with the invalid filter %s is refused before it begins, with an error that names %s',
  async (query, name) => {
    const { status, text } = await system.call('GET', `/api/admin/events/stream?${query}`);
    expect(status, text).toBe(400);
    expect(text).toContain(`The ${name} property`);
  },
);

test('a hundred streams of callers with the same permissions share one read of the log, with any filters', async () => {
  const viewer = 3;
  const robots = [await addServiceAccount(system, viewer), await addServiceAccount(system, viewer)];
  const after = await headOfLog();
  const filters = ['', '&type=feature-created', '&project=default', '&type=feature-created&project=default'];
  const open = (token: string, filter = '') =>
    Reader.open(`/api/admin/events/stream?after=${after}${filter}`, { authorization: token });
  const streams = await Promise.all(
    robots.flatMap(({ token }) => Array.from({ length: 50 }, (_, n) => open(token, filters[n % filters.length]))),
  );
  const ofAdmin = await open(system.adminToken);

  const untilSent = (ids: number[]) =>
    expect.poll(() => streams.filter((reader) => reader.ids().join() !== ids.join())).toEqual([]);
  await createFlags('shared-0');
  await untilSent([after + 1]);
  const before = await countReads();
  for (const n of [1, 2, 3, 4, 5]) {
    await createFlags(`shared-${n}`);
    await untilSent(upTo(after + 1 + n, after + 1));
  }
  // One read for all of them and one for the admin, who may see more. Twice that when an event arrives during a read.
  expect((await countReads()) - before).toBeLessThanOrEqual(5 * 2 * 2);

  await addPerson(system, viewer);
  const withPerson = await headOfLog();
  await createFlags('shared-6');
  await untilSent([...upTo(after + 6, after + 1), withPerson + 1]);
  await expect.poll(() => ofAdmin.ids()).toEqual(upTo(withPerson + 1, after + 1));
});

longTest('a stream ends when its token expires', async () => {
  const { id } = await addServiceAccount(system, 3);
  const expiresAt = new Date(Date.now() + 3_000).toISOString();
  const body = { description: 'short', expiresAt };
  const made = await system.call('POST', `/api/admin/service-account/${id}/token`, { body });
  const reader = await Reader.open('/api/admin/events/stream', { authorization: made.body.secret });
  await expect.poll(() => reader.hasEnded).toBe(true);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
});

test('a range is exported as NDJSON and as CSV, both ends included', async () => {
  await createFlags('exported-1', 'exported-2', 'exported-3');
  const head = await headOfLog();
  const lines = async (query: string) => {
    const response = await fetch(`${system.url}/api/admin/events/export?${query}`, {
      headers: { authorization: system.adminToken },
    });
    return (await response.text()).trimEnd().split(/\r?\n/);
  };
  const range = `from=${head - 2}&to=${head - 1}`;
  expect((await lines(range)).map((line) => JSON.parse(line))).toMatchObject([
    { id: head - 2, featureName: 'exported-1' },
    { id: head - 1, featureName: 'exported-2' },
  ]);
  const csv = await lines(`format=csv&${range}`);
  expect(csv[0]).toMatch(/^id,createdAt,type,/);
  expect(csv.slice(1).map((line) => line.split(',')[0])).toEqual([String(head - 2), String(head - 1)]);

  const today = new Date().toISOString().slice(0, 10);
  expect(await lines(`from=2020-01-01&to=${today}`)).toHaveLength(head);
  expect(await lines('from=2020-01-01&to=2020-12-31')).toEqual(['']);
  const before = Date.parse(JSON.parse((await lines(range))[0]!).createdAt);
  // The same time in another zone, with the plus encoded and unencoded, as it is often sent.
  const elsewhere = new Date(before + 7_200_000).toISOString().replace('Z', '+02:00');
  for (const from of [encodeURIComponent(elsewhere), elsewhere])
    expect(await lines(`from=${from}`)).toEqual(await lines(`from=${new Date(before).toISOString()}`));
});

test.each([
  'from=yesterday',
  'from=0000-01-01',
  'to=0000-01-01',
  'from=0000-01-01T00:00:00Z',
  'to=0001-01-01T00:00:00%2B02:00',
  'to=9999-12-31T23:59:59-02:00',
  'from=%00',
])('an export of the range %s is refused', async (query) => {
  const refused = await system.call('GET', `/api/admin/events/export?${query}`);
  const [name, value] = [...new URLSearchParams(query)][0]!;
  const message = expect.stringContaining(`You sent ${JSON.stringify(value)}`);
  expect(refused).toMatchObject({ status: 400, body: { details: [{ path: `.${name}`, message }] } });
});

test('the whole log is verified', async () => {
  const head = await headOfLog();
  const { body } = await system.call('GET', '/api/admin/events/verify?from=1');
  const reversed = await system.call('GET', '/api/admin/events/verify?from=2&to=1');
  expect(reversed).toMatchObject({ status: 400, body: { message: expect.stringContaining('.to property') } });
  expect(body).toMatchObject({ from: 1, to: head, verified: head, firstBroken: null, next: null });
});

test('a stream ends when the gateway stops, which does not wait for its readers', async () => {
  const reader = await Reader.open('/api/admin/events/stream');
  await system.stopService('gateway');
  expect(reader.hasEnded).toBe(true);
});
