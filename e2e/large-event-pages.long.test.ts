// Callers that ask for pages of large events take turns, and the changes of others go on meanwhile.
import { eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

interface Page {
  events: { id: number; label: string; summary: string; data: object }[];
  total: number;
}

const features = '/api/admin/projects/default/features';
const flags = Array.from({ length: 7 }, (_, n) => `large-${n}`);
/** A page of all changes has 11 MB, in `npm test` 5 MB. Both are many frames of the bus. */
const changesOfFlag = 80;
const changes = flags.length * changesOfFlag;
const callers = 15;
const ofChanges = 'type=IS:feature-metadata-updated';

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
  await Promise.all(flags.map(changeOften));
  await eventually(async () => expect((await find('limit=1')).total).toBe(changes));
}, 180_000);

/** An event of such a change has the descriptions before and after it: 20 kB. */
async function changeOften(name: string): Promise<void> {
  expect((await system.call('POST', features, { body: { name } })).status).toBe(201);
  for (let n = 0; n < changesOfFlag; n += 1) {
    const value = `${name} ${n} `.repeat(9_900).slice(0, 9_900);
    const body = [{ op: 'replace', path: '/description', value }];
    expect((await system.call('PATCH', `${features}/${name}`, { body })).status).toBe(200);
  }
}

afterAll(() => system?.stop());

async function find(query: string): Promise<Page> {
  const answer = await system.call('GET', `/api/admin/search/events?${ofChanges}&${query}`);
  expect(answer.status).toBe(200);
  return answer.body;
}

test('a page of large events is complete, and pages by offset have each event once', async () => {
  const large = await find('limit=1000');
  expect(JSON.stringify(large).length).toBeGreaterThan(changes * 19_700);
  const ids: number[] = [];
  for (let offset = 0; offset < changes; offset += 150) {
    const { events, total } = await find(`limit=150&offset=${offset}`);
    expect(total).toBe(changes);
    ids.push(...events.map(({ id }) => id));
  }
  expect(ids.length).toBe(changes);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
  expect(large.events.map(({ id }) => id)).toEqual(ids);
  expect(large.events[0]).toMatchObject({ label: 'Flag metadata updated', summary: expect.stringContaining('large') });
});

/** Each read waits for its turn at most three seconds, and then gets 503. Which one does depends on the machine. */
const readAnswers = [
  { status: 200, retryAfter: null, isWhole: true },
  { status: 503, retryAfter: expect.stringMatching(/^\d+$/), isWhole: true },
];

async function read(limit: number) {
  const { status, headers, body } = await system.call('GET', `/api/admin/search/events?${ofChanges}&limit=${limit}`);
  const isWhole = status !== 200 || body.events.length >= Math.min(limit, changes);
  return { status, retryAfter: headers.get('retry-after'), isWhole };
}

test('callers get a whole page or 503 with Retry-After, and changes go on meanwhile', async () => {
  let isOver = false;
  const pages = Promise.all(Array.from({ length: callers }, () => read(1_000))).finally(() => {
    isOver = true;
  });
  const changeStatuses: number[] = [];
  const shortPages: Awaited<ReturnType<typeof read>>[] = [];
  while (!isOver) {
    const body = [{ op: 'replace', path: '/stale', value: changeStatuses.length % 2 === 0 }];
    changeStatuses.push((await system.call('PATCH', `${features}/${flags[0]}`, { body })).status);
    shortPages.push(await read(1));
  }
  for (const answer of [...(await pages), ...shortPages]) expect(readAnswers).toContainEqual(answer);
  expect(changeStatuses.filter((status) => status !== 200)).toEqual([]);
});
