// SDKs behind a balancer: gateways that learn of changes at different times never show an SDK an older state.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { fetchSnapshot, listRevisions } from '@yardarm/shared/contracts/flags';
import { eventually, openEventStream, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const project = '/api/admin/projects/default';
let system: TestSystem;
let token: string;
/** A gateway that gets no hints and whose requests of these contracts wait while `held`. */
let late: string;
let heldContracts: string[] = [];
let held: Promise<void> | null = null;
let release = () => {};

function hold(contracts: readonly { name: string }[] = [listRevisions, fetchSnapshot]): void {
  heldContracts = contracts.map(({ name }) => name);
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
  const constraints = [{ contextName: 'userId', operator: 'IN', values: ['7'] }];
  const segment = await system.call('POST', '/api/admin/segments', { body: { name: 'seven', constraints } });
  await system.call('POST', `${project}/features/counted/environments/development/strategies`, {
    body: { name: 'default', segments: [segment.body.id] },
  });
  await system.processAll();
  late = await system.addGateway({
    async connectBus(options) {
      const bus = await connectBus(options);
      const lateBus: Partial<Bus> = {
        onHint: () => undefined as never,
        async request(contract, ...rest) {
          if (heldContracts.includes(contract.name)) await held;
          return bus.request(contract, ...rest);
        },
        async *requestParts(contract, ...rest) {
          if (heldContracts.includes(contract.name)) await held;
          yield* bus.requestParts(contract, ...rest);
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

test('gateways that started at other times, one of which misses every hint, end with equal bytes and ETags', async () => {
  for (let number = 1; number <= 10; number += 1) {
    await count(number);
    await read(late);
  }
  const latest = await system.addGateway();
  const inlined = {};
  const separate = { 'unleash-client-spec': '5.2.0' };
  const seen = new Set<string>();
  await eventually(async () => {
    for (const [path, headers] of [
      ...[['features', inlined] as const, ['features', separate] as const, ['delta', separate] as const],
      ...[['features/counted', inlined] as const, ['features/counted', separate] as const],
    ]) {
      const one = await read(system.url, path, headers);
      expect(numberIn(one.text)).toBe(10);
      seen.add(one.text);
      for (const url of [late, latest]) {
        const two = await read(url, path, headers);
        expect(two.text).toBe(one.text);
        expect(two.headers.get('etag')).toBe(one.headers.get('etag'));
      }
    }
  });
  expect(seen.size).toBe(5);
});

test.each(['features', 'delta'])(
  'a reader of %s that alternates between them never gets an older state',
  async (path) => {
    let isWriting = true;
    const writing = (async () => {
      for (let number = 100; number < 160; number += 1) await count(number);
      isWriting = false;
    })();
    const observed: number[] = [];
    let etag = '';
    for (let round = 0; isWriting || observed.at(-1) !== 159; round += 1) {
      const answer = await read(round % 2 === 0 ? system.url : late, path, { 'if-none-match': etag });
      if (answer.status === 304) continue;
      expect(answer.status).toBe(200);
      etag = answer.headers.get('etag')!;
      const number = numberIn(answer.text);
      if (number !== null) observed.push(number);
    }
    await writing;
    expect(observed).toEqual([...observed].sort((a, b) => a - b));
    expect(observed.length).toBeGreaterThan(3);
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
  expect(next.data.events.at(-1)).toMatchObject({ type: 'feature-updated', feature: { description: '301' } });
  two.close();
});

test('an evaluation that an event of another gateway asks for has its change', async () => {
  await eventually(async () => expect((await read(late)).text).toBe((await read(system.url)).text));
  const evaluate = (url: string, query = '') =>
    system.call('POST', `/ofrep/v1/evaluate/flags${query}`, { token, url, body: {} });
  const { body } = await evaluate(system.url);
  const stream = await openEventStream(system.url + body.eventStreams[0].endpoint.requestUri, {});
  // The gateway learns of the change only when it is asked to catch up.
  hold([listRevisions]);
  const before = (await evaluate(late)).text;
  await system.call('DELETE', `${project}/features/counted`);
  const { etag } = (await stream.waitFor(1)).data;
  expect((await evaluate(late)).text).toBe(before);
  const after = await evaluate(late, `?flagConfigEtag=${encodeURIComponent(etag)}`);
  expect([after.status, after.body.flags]).toEqual([200, []]);
  stream.close();
});

test('a stream that alternates between them misses nothing, goes back to nothing and gets one hydration', async () => {
  let isWriting = true;
  const writing = (async () => {
    for (let number = 0; number < 40; number += 1) {
      await system.call('POST', `${project}/features`, { body: { name: `once-${number}` } });
      if (number % 3 === 0) await system.call('DELETE', `${project}/features/once-${number}`);
    }
    isWriting = false;
  })();
  const names = new Set<string>();
  const revisions: number[] = [];
  let hydrations = 0;
  let id: string | undefined;
  const listed = async () => (await read(system.url)).body.features.map(({ name }: { name: string }) => name);
  // The last flag is created and deleted. The listing shows the deletion a little after its answer.
  const isWhole = async () => {
    const observed: string[] = await listed();
    return !isWriting && !observed.includes('once-39') && observed.join() === [...names].sort().join();
  };
  for (let round = 0; !(await isWhole()); round += 1) {
    const headers = { authorization: token, ...(id !== undefined && { 'last-event-id': id }) };
    const stream = await openEventStream(`${round % 2 === 0 ? system.url : late}/api/client/streaming`, headers);
    // A gateway that is behind the reader, and has nothing newer afterwards, sends nothing.
    await Promise.race([stream.waitFor(1), sleep(1_500)]);
    stream.close();
    for (const { id: next, data } of stream.events) {
      id = next;
      revisions.push(Number(next.split(':')[1]));
      for (const { type, features, feature, featureName } of data.events) {
        if (type === 'hydration') {
          hydrations += 1;
          for (const { name } of features) names.add(name);
        } else if (type === 'feature-removed') names.delete(featureName);
        else if (type === 'feature-updated') names.add(feature.name);
      }
    }
  }
  await writing;
  expect(hydrations).toBe(1);
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  expect([...names].filter((name) => name.startsWith('once-'))).toHaveLength(26);
});
