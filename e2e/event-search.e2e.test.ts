// The search of the event log: the deprecated POST, its successor GET, and the lists of a project and of a flag.
import { addServiceAccount, eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface EventSummary {
  id: number;
  type: string;
  featureName: string | null;
  label: string;
  summary: string;
}

let system: TestSystem;
let viewerToken: string;

const flags = ['search-a', 'search-b', 'search-c'];

beforeAll(async () => {
  system = await startSystem();
  ({ token: viewerToken } = await addServiceAccount(system, 3));
  for (const name of flags) {
    await system.call('POST', '/api/admin/projects/default/features', {
      body: { name, description: `what ${name} is` },
    });
  }
  await eventually(async () => expect((await search({ feature: 'search-c' })).totalEvents).toBe(1));
});

afterAll(() => system?.stop());

async function search(
  body?: unknown,
  query = '',
): Promise<{ version: number; events: EventSummary[]; totalEvents: number }> {
  const answer = await system.call('POST', `/api/admin/events/search${query}`, body === undefined ? {} : { body });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function find(query: string, token?: string): Promise<{ events: EventSummary[]; total: number }> {
  const answer = await system.call('GET', `/api/admin/search/events${query}`, token === undefined ? {} : { token });
  expect(answer.status).toBe(200);
  return answer.body;
}

const names = ({ events }: { events: EventSummary[] }) => events.map(({ featureName }) => featureName);

describe('POST /api/admin/events/search', () => {
  test('without a body finds every event, newest first, with its label and its summary', async () => {
    const found = await search();
    expect(found.version).toBe(1);
    expect(found.totalEvents).toBe(found.events.length);
    expect(found.events[0]).toMatchObject({ type: 'feature-created', featureName: 'search-c', label: 'Flag created' });
    expect(found.events[0]!.summary).toMatch(
      /^\*\*.+\*\* created \*\*\[search-c\]\(http.*\/projects\/default\/features\/search-c\)\*\* in project \*\*\[default\]/,
    );
    expect(await search({})).toEqual(found);
  });

  test('starts at the id of the offset and has the total of all pages', async () => {
    const all = await search({ type: 'feature-created' });
    const second = all.events[1]!;
    const page = await search({ type: 'feature-created', offset: second.id, limit: 1 });
    expect(page).toEqual({ version: 1, events: [second], totalEvents: all.totalEvents });
  });

  test('searches free text in the data and matches the case of a flag', async () => {
    expect(names(await search({ query: 'WHAT search-b' }))).toEqual(['search-b']);
    expect(await search({ feature: 'Search-b' })).toMatchObject({ events: [], totalEvents: 0 });
  });

  test.each([
    [{ type: 'feature-exploded' }, '.type', 'feature-exploded'],
    [{ limit: 101 }, '.limit', '101'],
    [{ limit: 0 }, '.limit', '0'],
    [{ offset: -1 }, '.offset', '-1'],
    [{ project: 7 }, '.project', '7'],
    [{ query: ['a'] }, '.query', '["a"]'],
    [[], 'payload', '[]'],
  ])('refuses %j and names the wrong filter', async (body, property, value) => {
    const { status, body: error } = await system.call('POST', '/api/admin/events/search', { body });
    expect(status).toBe(400);
    expect(error.message).toContain(property);
    expect(error.message).toContain(value);
  });

  test('is marked as deprecated, and its successor is not', async () => {
    const { paths } = (await system.call('GET', '/docs/openapi.json')).body;
    expect(paths['/api/admin/events/search'].post.deprecated).toBe(true);
    expect(paths['/api/admin/search/events'].get.deprecated).toBeUndefined();
  });

  test('and its successor have a description of waitFor in the document', async () => {
    const { paths } = (await system.call('GET', '/docs/openapi.json')).body;
    for (const { parameters } of [paths['/api/admin/events/search'].post, paths['/api/admin/search/events'].get])
      expect(parameters).toContainEqual(
        expect.objectContaining({ name: 'waitFor', description: expect.stringContaining('until the log') }),
      );
  });
});

describe('GET /api/admin/search/events', () => {
  test.each([
    ['?feature=IS:search-a', ['search-a']],
    ['?feature=IS_ANY_OF:search-a,%20search-c', ['search-c', 'search-a']],
    ['?type=IS:feature-created&project=IS:default&query=search', ['search-c', 'search-b', 'search-a']],
    ['?type=IS:feature-created&query=search&limit=1&offset=1', ['search-b']],
    ['?type=IS_ANY_OF:feature-created,not-yet-a-type&query=search&limit=1', ['search-c']],
    ['?type=IS:feature-exploded', []],
    ['?type=IS_ANY_OF:not-yet-a-type,feature-exploded&feature=IS:search-a', []],
    ['?feature=IS:search-a&environment=IS:production', []],
    ['?feature=IS:search-a&from=IS:2000-01-01&to=IS:2999-12-31', ['search-a']],
    ['?feature=IS:search-a&to=IS:2000-01-01', []],
    ['?feature=IS:search-a&createdBy=IS:-42', ['search-a']],
    ['?feature=IS:search-a&createdBy=IS:1000', []],
    ['?groupId=IS:1', []],
  ])('%s finds %j', async (query, found) => {
    expect(names(await find(query))).toEqual(found);
  });

  test('finds an event by its id, and has the total of all pages', async () => {
    const { events, total } = await find('?type=IS:feature-created&query=search&limit=2');
    expect([events.length, total]).toEqual([2, 3]);
    expect((await find(`?id=IS_ANY_OF:${events.map(({ id }) => id).join()}`)).events).toEqual(events);
  });

  test('refuses a parameter with brackets, which would be ignored', async () => {
    const { status, body } = await system.call('GET', '/api/admin/search/events?project[]=IS:default');
    expect([status, body.message]).toEqual([
      400,
      'The query has the parameter "project[]". Use "project", without brackets.',
    ]);
    const listed = await system.call('GET', '/api/admin/search/features?status[]=development:enabled');
    expect(listed.status).toBe(200);
    // So does a route without parameters.
    expect((await system.call('GET', '/api/admin/segments?project[]=default')).status).toBe(400);
  });

  test('takes the default for a limit beyond its bounds', async () => {
    const whole = await find('?limit=50');
    for (const limit of ['0', '-1', '1001', '9'.repeat(400)]) expect(await find(`?limit=${limit}`)).toEqual(whole);
  });

  test.each([
    ['type=feature-created', 'type'],
    ['type=IS:', 'type'],
    ['id=IS:abc', 'id'],
    ['createdBy=IS:ada', 'createdBy'],
    ['project=default', 'project'],
    ['from=2026-01-01', 'from'],
    ['from=IS:2026-13-45', 'from'],
    ['to=IS:0000-01-01', 'to'],
    ['limit=abc', 'limit'],
    ['offset=-1', 'offset'],
    ['feature=IS:a&feature=IS:b', 'feature'],
    ['feature=IS:a,%00', 'feature'],
    ['waitFor=godot', 'waitFor'],
    [`project=IS_ANY_OF:${'p,'.repeat(1_000)}p`, 'project'],
  ])('refuses %s and names the wrong filter', async (query, property) => {
    const { status, body } = await system.call('GET', `/api/admin/search/events?${query}`);
    expect(status).toBe(400);
    expect(body.message).toContain(`.${property} property`);
  });

  test('names the wrong value of a filter, also behind many right ones', async () => {
    const ids = Array.from({ length: 900 }, (_, index) => index + 1).join();
    const { status, body } = await system.call('GET', `/api/admin/search/events?id=IS_ANY_OF:${ids},ada`);
    expect(status).toBe(400);
    expect(body.message).toContain('with ids of events, and "ada" is none.');
  });
});

test('the lists of the newest events, of a project and of a flag equal the search', async () => {
  const newest = await system.call('GET', '/api/admin/events');
  expect(newest).toMatchObject({ status: 200, body: await search() });
  const { body: ofProject } = await system.call('GET', '/api/admin/events?project=default');
  expect(ofProject).toEqual(await search({ project: 'default' }));
  const { body: ofFlag } = await system.call('GET', '/api/admin/events/search-b');
  expect(ofFlag).toEqual({ toggleName: 'search-b', ...(await search({ feature: 'search-b' })) });
  const { body: ofNone } = await system.call('GET', '/api/admin/events/no-such-flag');
  expect(ofNone).toEqual({ version: 1, toggleName: 'no-such-flag', events: [], totalEvents: 0 });
});

test('a caller without permission to read the log sees events of flags, but not of people and tokens', async () => {
  const ofPeople = '?type=IS_ANY_OF:service-account-created,pat-created';
  expect((await find(ofPeople)).total).toBe(2);
  expect(await find(ofPeople, viewerToken)).toEqual({ events: [], total: 0 });
  expect((await find('?feature=IS:search-a', viewerToken)).total).toBe(1);
  const { total, events } = await find('?limit=1000', viewerToken);
  expect(total).toBe(events.length);
  expect(events.filter(({ type }) => /^(user|role|pat|api-token|service-account)-/.test(type))).toEqual([]);
});

test('the creators of events are listed', async () => {
  const { status, body } = await system.call('GET', '/api/admin/event-creators');
  expect(status).toBe(200);
  expect(body).toContainEqual({ id: -42, name: 'Yardarm admin token' });
});

test('a search that waits for the head finds an answered write', async () => {
  await system.call('POST', '/api/admin/projects/default/features', { body: { name: 'search-mine' } });
  await eventually(async () => expect((await search({ feature: 'search-mine' }, '?waitFor=head')).totalEvents).toBe(1));
});
