// Tests event search over the bus: its matches, their order and the total. Tests of the gateway cover the HTTP shape.
import { randomUUID } from 'node:crypto';
import type { RequestContext } from '@yardarm/shared/bus';
import { systemActor } from '@yardarm/shared/contracts';
import { type PublishedEvent, readHead, searchEvents } from '@yardarm/shared/contracts/events';
import { createTestDatabase, propertyRuns, type TestDatabase } from '@yardarm/testing';
import { publishedEvent } from '@yardarm/testing/events';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LogUnderTest } from '../testing/log-under-test.ts';

let database: TestDatabase;
let log: LogUnderTest;

const hostile = [
  '100%',
  '_under_',
  'back\\slash',
  '"quoted"',
  "it's",
  ';drop table events;--',
  'tab\tnew\nline',
  'ÄÖ€𝄞',
  '%',
  '_',
];
const types = ['feature-created', 'feature-archived', 'user-created'] as const;
const projects = ['default', 'Default', 'other', null];
const features = ['checkout', 'Checkout', 'a.b~c', hostile[0]!, null];
const people = [
  { createdBy: 'ada@Example.org', createdByUsername: 'Ada' },
  { createdBy: 'bob_b', createdByUsername: 'bob_b' },
];

/** Combines a few values with texts that need escaping in a search. */
const events: PublishedEvent[] = Array.from({ length: 240 }, (_, n) =>
  publishedEvent({
    type: types[n % 3]!,
    project: projects[n % 4]!,
    featureName: features[n % 5]!,
    ...people[n % 2]!,
    data: n % 6 === 0 ? null : { name: `flag ${n}`, description: hostile[n % hostile.length], nested: [{ n }] },
    preData: { secretOfThePast: true },
    tags: [{ type: 'simple', value: `team-${n % 3}` }],
  }),
);

beforeAll(async () => {
  database = await createTestDatabase();
  log = await LogUnderTest.open(database);
  const service = await log.start();
  await log.publish(events);
  await service.processAll();
});

afterAll(async () => {
  await log?.close();
  await database?.drop();
});

const context = (): RequestContext => ({
  requestId: randomUUID(),
  actor: systemActor,
  deadline: Date.now() + 10_000,
  traceparent: null,
});

type Input = Parameters<typeof searchEvents.input.parse>[0] & Record<string, unknown>;
const search = (input: Input) => log.bus.request(searchEvents, input as never, context());
const idsOf = async (input: Input) => (await search(input)).events.map(({ id }) => id);

/** The expected ids, found by checking every event. */
function bruteForce(input: { type?: string; project?: string; feature?: string; query?: string }): number[] {
  const query = input.query?.toLowerCase() ?? '';
  return events
    .map((event, index) => ({ event, id: index + 1 }))
    .filter(({ event }) => input.type === undefined || event.type === input.type)
    .filter(({ event }) => input.project === undefined || event.project === input.project)
    .filter(({ event }) => input.feature === undefined || event.featureName === input.feature)
    .filter(({ event }) => textsOf(event).some((text) => text.toLowerCase().includes(query)))
    .map(({ id }) => id)
    .reverse();
}

function textsOf(event: PublishedEvent): string[] {
  const data = event.data === null ? [] : [JSON.stringify(event.data), String(event.data.description)];
  return [event.type, event.createdBy, event.createdByUsername, ...data];
}

test('a search without filters finds every event, newest first, as clients see events', async () => {
  const { events: found, totalEvents } = await search({ limit: 1 });
  expect(totalEvents).toBe(240);
  const { eventId, version, source, createdByUsername, requestId, traceparent, ...visible } = events.at(-1)!;
  expect(found).toEqual([{ id: 240, ...visible }]);
});

test('type, project and flag match exactly and with their case', async () => {
  for (const type of types) expect(await idsOf({ type })).toEqual(bruteForce({ type }).slice(0, 100));
  for (const project of ['default', 'Default', 'DEFAULT', 'defaul']) {
    expect(await idsOf({ project })).toEqual(bruteForce({ project }).slice(0, 100));
  }
  for (const feature of ['checkout', 'Checkout', 'a.b~c', 'a_b~c', '100%', '1%']) {
    expect(await idsOf({ feature })).toEqual(bruteForce({ feature }).slice(0, 100));
  }
});

test('free text finds type, username, e-mail and data in any case, and no preData', async () => {
  expect((await search({ query: 'USER-cre' })).totalEvents).toBe(80);
  expect((await search({ query: 'ADA' })).totalEvents).toBe(120);
  expect((await search({ query: 'example.ORG' })).totalEvents).toBe(120);
  expect((await search({ query: 'FLAG 239' })).totalEvents).toBe(1);
  expect((await search({ query: 'secretOfThePast' })).totalEvents).toBe(0);
});

test.each(hostile)('%j is searched as it is written', async (query) => {
  const expected = bruteForce({ query });
  expect(expected.length).toBeGreaterThan(0);
  expect(expected.length).toBeLessThan(240);
  expect(await search({ query })).toMatchObject({ totalEvents: expected.length });
  expect(await idsOf({ query })).toEqual(expected.slice(0, 100));
});

test.each(['\\', '\\%', '%%%', '__', '\u001f', "' or 1=1 --", '\\\\\\', 'İ', 'x'.repeat(1000)])(
  '%j is an ordinary value in every filter',
  async (text) => {
    expect(await idsOf({ query: text })).toEqual(bruteForce({ query: text }).slice(0, 100));
    expect(await search({ project: text })).toEqual({ events: [], totalEvents: 0 });
    expect(await search({ feature: text, query: 'a' })).toEqual({ events: [], totalEvents: 0 });
  },
);

describe('the offset', () => {
  test('is the id to start from: that event and older ones', async () => {
    expect(await idsOf({ offset: 5 })).toEqual([5, 4, 3, 2, 1]);
    expect(await idsOf({ offset: 7, limit: 2 })).toEqual([7, 6]);
  });
  test('begins at the next older match when that event does not match', async () => {
    const matching = bruteForce({ type: 'user-created' });
    for (const offset of [10, 11, 12]) {
      expect(await idsOf({ type: 'user-created', offset })).toEqual(matching.filter((id) => id <= offset));
    }
  });
  test('of 0 starts at the newest event, as does one beyond it', async () => {
    const newest = await idsOf({});
    expect(newest[0]).toBe(240);
    expect(await idsOf({ offset: 0 })).toEqual(newest);
    expect(await idsOf({ offset: Number.MAX_SAFE_INTEGER })).toEqual(newest);
  });
  test('pages through everything once when each page starts below the last id of the one before', async () => {
    const seen: number[] = [];
    for (let offset = 0; ; offset = seen.at(-1)! - 1) {
      const ids = await idsOf({ limit: 7, offset });
      seen.push(...ids);
      if (seen.at(-1) === 1) break;
    }
    expect(seen).toEqual(bruteForce({}));
  });
});

test('every combination of filters finds and counts what a check of every event finds', async () => {
  const maybe = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const inputs = fc.record({
    type: maybe(...types, 'pat-created' as const),
    project: maybe('default', 'Default', 'none'),
    feature: maybe('checkout', 'a.b~c', 'none'),
    query: maybe('', 'a', 'flag 1', '%', 'ADA@', 'line', '"n":12', '\\'),
    limit: fc.integer({ min: 1, max: 100 }),
    offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 260 })),
  });
  await fc.assert(
    fc.asyncProperty(inputs, async ({ limit, offset, ...filters }) => {
      const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
      const expected = bruteForce(given);
      const page = expected.filter((id) => offset === 0 || id <= offset).slice(0, limit);
      const { events: found, totalEvents } = await search({ ...given, limit, offset });
      expect(found.map(({ id }) => id)).toEqual(page);
      expect(totalEvents).toBe(expected.length);
    }),
    { numRuns: propertyRuns(150) },
  );
});

test('the head of the log is the highest id', async () => {
  expect(await log.bus.request(readHead, {}, { ...context(), actor: null })).toEqual({ id: 240, epoch: null });
});

test('an unknown type, a limit and an offset out of bounds are refused with the property and the value', async () => {
  await expect(search({ type: 'feature-exploded' })).rejects.toMatchObject({ code: 'validation' });
  await expect(search({ limit: 101 })).rejects.toMatchObject({ code: 'validation' });
  await expect(search({ limit: 0 })).rejects.toMatchObject({ code: 'validation' });
  await expect(search({ offset: -1 })).rejects.toMatchObject({ code: 'validation' });
});
