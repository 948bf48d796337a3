// SDKs behind a balancer: gateways that learn of changes at different times never show an SDK an older state.
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { fetchSnapshot, listRevisions } from '@yardarm/shared/contracts/flags';
import { eventually, openEventStream, startSystem, type TestSystem } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const project = '/api/admin/projects/default';
let system: TestSystem;
let token: string;
/** A gateway that gets no hints and whose reads of snapshots wait while `held`. */
let late: string;
let held: Promise<void> | null = null;
let release = () => {};

function hold(): void {
  held = new Promise((resolve) => {
    release = () => {
      held = null;
      resolve();
    };
  });
}

beforeAll(async () => {
  system = await startSystem();
  token = system.clientTokens.development;
  await system.call('POST', `${project}/features`, { body: { name: 'counted', description: '0' } });
  await system.processAll();
  late = await system.addGateway({
    async connectBus(options) {
      const bus = await connectBus(options);
      const lateBus: Partial<Bus> = {
        onHint: () => undefined as never,
        async request(contract, ...rest) {
          if (contract.name === listRevisions.name) await held;
          return bus.request(contract, ...rest);
        },
        async *requestMany(contract, ...rest) {
          if (contract.name === fetchSnapshot.name) await held;
          yield* bus.requestMany(contract, ...rest);
        },
      };
      return { ...bus, ...lateBus };
    },
  });
});
afterEach(() => release());
afterAll(() => system?.stop());

const count = (number: number) =>
  system.call('PATCH', `${project}/features/counted`, {
    body: [{ op: 'replace', path: '/description', value: String(number) }],
  });
const read = (url: string, path = 'features', headers: Record<string, string> = {}) =>
  system.call('GET', `/api/client/${path}`, { token, url, headers });

/** The number that an answer shows. */
function numberIn(text: string): number | null {
  const found = /"description":"(\d+)"/.exec(text);
  return found && Number(found[1]);
}

test('two gateways, one of which misses every hint, end with equal bytes and ETags', async () => {
  for (let number = 1; number <= 10; number += 1) {
    await count(number);
    await read(late);
  }
  await eventually(async () => {
    for (const path of ['features', 'delta']) {
      const [one, two] = [await read(system.url, path), await read(late, path)];
      expect(numberIn(one.text)).toBe(10);
      expect(two.text).toBe(one.text);
      expect(two.headers.get('etag')).toBe(one.headers.get('etag'));
    }
  });
});

test.each(['features', 'delta'])(
  'a reader of %s that alternates between them never gets an older state',
  async (path) => {
    let isWriting = true;
    const writing = (async () => {
      for (let number = 100; number < 160; number += 1) await count(number);
      isWriting = false;
    })();
    const shown: number[] = [];
    let etag = '';
    for (let round = 0; isWriting || shown.at(-1) !== 159; round += 1) {
      const answer = await read(round % 2 === 0 ? system.url : late, path, { 'if-none-match': etag });
      if (answer.status === 304) continue;
      expect(answer.status).toBe(200);
      etag = answer.headers.get('etag')!;
      const number = numberIn(answer.text);
      if (number !== null) shown.push(number);
    }
    await writing;
    expect(shown).toEqual([...shown].sort((a, b) => a - b));
    expect(shown.length).toBeGreaterThan(3);
    await count(0);
    await system.processAll();
  },
);

test.each(['features', 'delta'])(
  'a gateway that is behind a reader of %s answers 304 until it has caught up',
  async (path) => {
    await eventually(async () => expect((await read(late, path)).text).toBe((await read(system.url, path)).text));
    hold();
    await count(200);
    const newest = await eventually(async () => {
      const answer = await read(system.url, path);
      expect(numberIn(answer.text)).toBe(200);
      return answer;
    });
    const etag = newest.headers.get('etag')!;
    const behind = await read(late, path, { 'if-none-match': etag });
    expect([behind.status, behind.headers.get('etag')]).toEqual([304, etag]);
    release();
    await count(201);
    await eventually(async () => {
      const answer = await read(late, path, { 'if-none-match': etag });
      expect([answer.status, numberIn(answer.text)]).toEqual([200, 201]);
    });
    await count(0);
    await system.processAll();
  },
);

test('a gateway that is behind a stream sends nothing until it has passed its state', async () => {
  await eventually(async () => expect((await read(late)).text).toBe((await read(system.url)).text));
  const headers = { authorization: token };
  const one = await openEventStream(`${system.url}/api/client/streaming`, headers);
  await one.waitFor(1);
  hold();
  await count(300);
  const { id } = await one.waitFor(2);
  one.close();
  const two = await openEventStream(`${late}/api/client/streaming`, { ...headers, 'last-event-id': id });
  expect([two.status, two.events]).toEqual([200, []]);
  release();
  await count(301);
  const next = await two.waitFor(1);
  expect(next.event).toBe('unleash-updated');
  expect(next.data.events).toMatchObject([{ type: 'feature-updated', feature: { description: '301' } }]);
  two.close();
});
