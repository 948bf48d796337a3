// Tests the search by filters of several values, the visibility for each caller, and exact totals while the log grows.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { type Actor, systemActor } from '@yardarm/shared/contracts';
import { findEvents, listEventCreators, type PublishedEvent, publishPending } from '@yardarm/shared/contracts/events';
import { AppError } from '@yardarm/shared/errors';
import { createTestDatabase, propertyRuns, type TestDatabase } from '@yardarm/testing';
import { publishedEvent } from '@yardarm/testing/events';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LogUnderTest } from '../testing/log-under-test.ts';
import { isVisible, visibleTo } from './visibility.ts';

let database: TestDatabase;
let log: LogUnderTest;
let service: Awaited<ReturnType<LogUnderTest['start']>>;

const types = ['feature-created', 'feature-archived', 'user-created', 'project-access-updated'] as const;
const projects = ['default', 'other', null];
const features = ['checkout', 'a.b~c', null];
const environments = ['production', 'development', null, null];
const creators = [1, 2, -42, null];
const days = [
  '2026-01-30T23:59:59.999Z',
  '2026-01-31T00:00:00.000Z',
  '2026-01-31T23:59:59.999Z',
  '2026-02-01T00:00:00.000Z',
];

const eventOf = (n: number): PublishedEvent =>
  publishedEvent({
    type: types[n % 4]!,
    project: projects[n % 3]!,
    featureName: features[n % 3]!,
    environment: environments[(n >> 1) % 4]!,
    createdByUserId: creators[(n >> 2) % 4]!,
    createdBy: `user-${creators[(n >> 2) % 4]}@example.com`,
    createdByUsername: `user-${creators[(n >> 2) % 4]}`,
    createdAt: days[(n >> 3) % 4]!,
    data: { name: `flag ${n}` },
  });

/** Replaces the other publishers: how signals publishes, and the incarnation that it answers. */
const publisher = { publish: async (): Promise<void> => {}, incarnation: null as string | null };

function servePublishers(bus: Bus): void {
  for (const contract of Object.values(publishPending)) {
    bus.serve(contract, async () => {
      if (contract !== publishPending.signals) return { incarnation: null };
      await publisher.publish();
      return { incarnation: publisher.incarnation };
    });
  }
}

const events = Array.from({ length: 192 }, (_, n) => eventOf(n));

beforeAll(async () => {
  database = await createTestDatabase();
  log = await LogUnderTest.open(database);
  servePublishers(log.bus);
  service = await log.start();
  await log.publish(events);
  await service.processAll();
});

afterEach(() => Object.assign(publisher, { publish: async () => {}, incarnation: null }));

afterAll(async () => {
  await log?.close();
  await database?.drop();
});

const viewer: Actor = { kind: 'user', id: 7, username: 'vi', grants: [] };
const owner: Actor = {
  ...viewer,
  grants: [{ permissions: ['PROJECT_USER_ACCESS_READ'], projects: ['other', 'more'] }],
};
const editor: Actor = { ...viewer, grants: [{ permissions: ['PROJECT_USER_ACCESS_READ'] }] };

const context = (actor: Actor = systemActor, waitMs = 10_000): RequestContext => ({
  requestId: randomUUID(),
  actor,
  deadline: Date.now() + waitMs,
  traceparent: null,
});

type Input = Parameters<typeof findEvents.input.parse>[0] & Record<string, unknown>;

const find = (input: Input, asked = context()) => log.bus.request(findEvents, input as never, asked);

interface Filters {
  ids?: number[];
  types?: string[];
  projects?: string[];
  features?: string[];
  environments?: string[];
  createdBy?: number[];
  from?: string;
  to?: string;
  query?: string;
}

/** The expected ids, found by checking every event. */
function bruteForce(asked: Filters, actor: Actor): number[] {
  const isAsked = <Value>(values: Value[] | undefined, value: Value | null) =>
    values === undefined || (value !== null && values.includes(value));
  return events
    .map((event, index) => ({ ...event, id: index + 1 }))
    .filter((event) => isVisible(event, visibleTo(actor)))
    .filter((event) => isAsked(asked.ids, event.id) && isAsked(asked.types, event.type))
    .filter((event) => isAsked(asked.projects, event.project) && isAsked(asked.features, event.featureName))
    .filter((event) => isAsked(asked.environments, event.environment))
    .filter((event) => isAsked(asked.createdBy, event.createdByUserId))
    .filter(
      (event) =>
        event.createdAt.slice(0, 10) >= (asked.from ?? '') && event.createdAt.slice(0, 10) <= (asked.to ?? '9'),
    )
    .filter((event) => JSON.stringify([event.type, event.createdBy, event.data]).includes(asked.query ?? ''))
    .map(({ id }) => id)
    .reverse();
}

test('every combination of filters, pages and callers finds and counts what a check of every event finds', async () => {
  const some = <T>(...values: T[]) =>
    fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }), { nil: undefined });
  const filters = fc.record({
    ids: fc.option(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 50 }), { nil: undefined }),
    types: some(...types, 'pat-created' as const),
    projects: some('default', 'other', 'none'),
    features: some('checkout', 'a.b~c', 'none'),
    environments: some('production', 'development'),
    createdBy: some(1, 2, -42, 99),
    from: fc.constantFrom(undefined, '2026-01-31', '2026-02-01', '2027-01-01'),
    to: fc.constantFrom(undefined, '2026-01-30', '2026-01-31'),
    query: fc.constantFrom(undefined, '', 'flag 1', 'user-2@', 'archived'),
  });
  // A subset of the filters, so that most searches find something.
  const someFilters = fc
    .tuple(
      filters,
      fc.subarray(['ids', 'types', 'projects', 'features', 'environments', 'createdBy', 'from', 'to', 'query']),
    )
    .map(([all, names]) =>
      Object.fromEntries(Object.entries(all).filter(([name, value]) => names.includes(name) && value !== undefined)),
    );
  const page = fc.record({ limit: fc.integer({ min: 1, max: 200 }), skip: fc.integer({ min: 0, max: 60 }) });
  await fc.assert(
    fc.asyncProperty(
      someFilters,
      page,
      fc.constantFrom(systemActor, viewer, owner, editor),
      async (asked, { limit, skip }, actor) => {
        const expected = bruteForce(asked, actor);
        const found = await find({ ...asked, limit, skip }, context(actor));
        expect(found.events.map(({ id }) => id)).toEqual(expected.slice(skip, skip + limit));
        expect(found.total).toBe(expected.length);
      },
    ),
    { numRuns: propertyRuns(200) },
  );
});

test('a user without a role finds no events of people, and a project owner finds those of the project', async () => {
  const seen = async (actor: Actor) =>
    new Set((await find({ limit: 200 }, context(actor))).events.map((event) => `${event.type} ${event.project}`));
  expect([...(await seen(viewer))].filter((event) => /user|access/.test(event))).toEqual([]);
  expect([...(await seen(owner))].filter((event) => /user|access/.test(event)).sort()).toEqual([
    'project-access-updated other',
    'user-created other',
  ]);
  expect((await find({ types: ['user-created'] }, context(viewer))).total).toBe(0);
  expect((await find({ types: ['user-created'] })).total).toBe(48);
});

test('every creator of a visible event is listed, by id', async () => {
  const namesFor = async (actor: Actor) => (await log.bus.request(listEventCreators, {}, context(actor))).creators;
  expect(await namesFor(systemActor)).toEqual([
    { id: -42, name: 'Yardarm admin token' },
    { id: 1, name: 'user-1' },
    { id: 2, name: 'user-2' },
  ]);
  const ofPeople = publishedEvent({
    type: 'role-created',
    project: null,
    featureName: null,
    createdByUserId: 300,
    createdByUsername: 'eve',
  });
  await log.publish([ofPeople]);
  events.push(ofPeople);
  await service.processAll();
  expect((await namesFor(systemActor)).at(-1)).toEqual({ id: 300, name: 'eve' });
  expect((await namesFor(viewer)).map(({ id }) => id)).toEqual([-42, 1, 2]);
});

test('a total rises with the log when several callers repeat a search', async () => {
  const asked = { types: ['feature-created', 'user-created'], projects: ['default'], query: 'flag' };
  for (let round = 0; round < 3; round++) {
    const [all, some] = await Promise.all([find(asked), find(asked, context(viewer))]);
    expect(all).toMatchObject({ total: bruteForce(asked, systemActor).length });
    expect(some).toMatchObject({ total: bruteForce(asked, viewer).length });
    expect(all.events.map(({ id }) => id)).toEqual(bruteForce(asked, systemActor).slice(0, 50));
    const more = Array.from({ length: 24 }, (_, n) => eventOf(n));
    await log.publish(more);
    events.push(...more);
    await service.processAll();
  }
});

test('a search that runs while events are recorded sees one snapshot', async () => {
  const asked: Input = { query: 'racing', environments: ['staging'], limit: 1000 };
  const racing = Array.from({ length: 300 }, () =>
    publishedEvent({ environment: 'staging', data: { name: 'racing' } }),
  );
  events.push(...racing);
  let isDone = false;
  const publishing = log.publish(racing).then(async () => {
    await service.processAll();
    isDone = true;
  });
  const search = async () => {
    let minTotal = 0;
    while (!isDone) {
      const { events: found, total } = await find(asked);
      expect(total).toBe(found.length);
      expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
      expect(total).toBeGreaterThanOrEqual(minTotal);
      minTotal = total;
    }
  };
  await Promise.all([publishing, search(), search(), search()]);
  expect((await find(asked)).total).toBe(300);
});

test('a search that waits for the head finds what was published before it', async () => {
  for (let n = 0; n < 5; n++) {
    const published = publishedEvent({ featureName: `waited-for-${n}` });
    events.push(published);
    await log.publish([published]);
    expect((await find({ features: [`waited-for-${n}`], waitFor: 'head' })).total).toBe(1);
  }
});

test('a search that waits for the head finds what a service publishes only when it is asked to', async () => {
  const published = publishedEvent({ featureName: 'published-late' });
  events.push(published);
  publisher.publish = () => log.publish([published]);
  expect((await find({ features: ['published-late'], waitFor: 'head' })).total).toBe(1);
});

test('a search that waits for the head is refused while a service does not answer', async () => {
  publisher.publish = async () => {
    throw new AppError('unavailable', 'Not yet.');
  };
  const asked = find({ features: ['any'], waitFor: 'head' });
  await expect(asked).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('signals') });
  // The service answers after the caller's deadline. The refusal still comes first.
  publisher.publish = () => sleep(3_000);
  const late = find({ features: ['any'], waitFor: 'head' }, context(systemActor, 1_500));
  await expect(late).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('signals') });
});

test('a search that waits for the head is refused while a service has published to a stream that is gone', async () => {
  publisher.incarnation = '2026-01-01T00:00:00Z';
  const asked = find({ features: ['any'], waitFor: 'head' }, context(systemActor, 1_500));
  await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
  const waiting = find({ features: ['any'], waitFor: 'head' });
  publisher.incarnation = (await log.bus.streamInfo('EVENTS')).incarnation;
  expect((await waiting).total).toBe(0);
});

test('a search that waits for a head that does not come is refused before its caller gives up', async () => {
  await log.stop(service);
  const answering = await log.start();
  // Blocks the recorder, as another recorder would that hangs with the position locked.
  await log.db.transaction(async (trx) => {
    await trx.selectFrom('recorder_position').selectAll().forUpdate().execute();
    await log.publish([publishedEvent({ featureName: 'not-yet' })]);
    const asked = find({ features: ['not-yet'], waitFor: 'head' }, context(systemActor, 1_500));
    await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    expect((await find({ features: ['not-yet'] })).total).toBe(0);
  });
  await answering.processAll();
  expect((await find({ features: ['not-yet'], waitFor: 'head' })).total).toBe(1);
});

test('dropped events are no longer counted, even in a repeated search', async () => {
  const asked = { environments: ['production'], query: 'flag' };
  const before = await find(asked);
  expect(before.total).toBeGreaterThan(20);
  await database.rows('delete from events.events where id <= 100');
  const after = await find(asked);
  expect(after.total).toBeLessThan(before.total);
  expect(after.events.map(({ id }) => id)).toEqual(before.events.map(({ id }) => id).filter((id) => id > 100));
});

test('a search counts over several partitions, and a page spans their bounds', async () => {
  const asked = { environments: ['production'], projects: ['default'] };
  const before = await find(asked);
  expect(before.total).toBeGreaterThan(3);
  const further = (by: number) =>
    database.rows(
      `insert into events.events (id, event_id, version, source, type, created_at, created_by, created_by_username,
          environment, project, tags, search_text)
        select id + ${by}, gen_random_uuid(), version, source, type, created_at, created_by, created_by_username,
          environment, project, tags, search_text
        from events.events where id between 101 and 200 and id <> 150`,
    );
  for (const by of [999_850, 1_500_000]) await further(by);
  await database.rows('update events.recorder_position set last_id = 1500200');
  const [{ total } = { total: 0 }] = await database.rows<{ total: number }>(
    "select count(*)::int as total from events.events where environment = 'production' and project = 'default'",
  );
  expect(total).toBeGreaterThan(before.total);
  const after = await find({ ...asked, limit: 1000 });
  expect(after.total).toBe(total);
  expect(after.events).toHaveLength(total);
});

test.each([
  { types: ['feature-exploded'] },
  { types: [] },
  { ids: [0] },
  { createdBy: ['ada'] },
  { from: '2026-02-30' },
  { to: '0000-01-01' },
  { limit: 1001 },
  { skip: -1 },
  { query: 'x'.repeat(1001) },
  { waitFor: 'godot' },
  { projects: ['a\u0000b'] },
])('%j is refused', async (input) => {
  await expect(find(input)).rejects.toMatchObject({ code: 'validation' });
});
