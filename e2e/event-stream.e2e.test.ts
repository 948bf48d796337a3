// The log for tools: events as they are recorded, from where a reader stood; a range of them to take away; and the chain verified.
import { startSystem, type TestSystem } from '@yardarm/testing';
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

interface Sent {
  id: string | undefined;
  event: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests read properties of events and compare them.
  data: any;
}

/** What an EventSource does, to be looked at. */
class Reader {
  readonly sent: Sent[] = [];
  isOver = false;
  readonly #closing = new AbortController();

  static async open(path: string, headers: Record<string, string> = {}): Promise<Reader> {
    const reader = new Reader();
    readers.push(reader);
    const response = await fetch(`${system.url}${path}`, {
      headers: { authorization: system.adminToken, ...headers },
      signal: reader.#closing.signal,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    reader
      .#read(response.body!)
      .catch(() => undefined)
      .finally(() => {
        reader.isOver = true;
      });
    return reader;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = '';
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
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
    expect(made.status).toBe(200);
  }
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

async function headOfLog(): Promise<number> {
  await system.processAll();
  return (await system.call('GET', '/api/admin/events/verify')).body.head.id;
}

test('a reader gets every event from where it stood, as it is recorded, without a gap', async () => {
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

test('a reader gets what it filters for', async () => {
  const head = await headOfLog();
  const query = `after=${head}&type=feature-created&project=default&feature=wanted`;
  const reader = await Reader.open(`/api/admin/events/stream?${query}`);
  await createFlags('unwanted', 'wanted', 'wanted-not');
  await expect.poll(() => reader.ids()).toEqual([head + 2]);
  expect((await system.call('GET', '/api/admin/events/stream?after=x')).status).toBe(400);
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
  const wrong = await system.call('GET', '/api/admin/events/export?from=yesterday');
  expect(wrong).toMatchObject({ status: 400, body: { details: [{ message: expect.stringContaining('yesterday') }] } });
});

test('the whole log is what was recorded', async () => {
  const head = await headOfLog();
  const { body } = await system.call('GET', '/api/admin/events/verify?from=1');
  expect(body).toMatchObject({ from: 1, to: head, verified: head, firstBroken: null, next: null });
});

test('a stream ends when the gateway stops, which waits for nobody', async () => {
  const reader = await Reader.open('/api/admin/events/stream');
  const started = performance.now();
  await system.stopService('gateway');
  expect(reader.isOver).toBe(true);
  // Far below the nine seconds after which a process gives up draining.
  expect(performance.now() - started).toBeLessThan(8_000);
});
