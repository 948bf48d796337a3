import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { searchTextOf } from '../events/event.ts';
import {
  type Anchor,
  anchorFor,
  type ChainedEvent,
  hashesOf,
  hashOf,
  hashOfVersion1,
  type LinkedEvent,
  verifyLinks,
} from './chain.ts';

const event = (id: number, name = `flag-${id}`): ChainedEvent => ({
  id,
  type: 'feature-created',
  created_at: new Date('2026-01-01T00:00:00Z'),
  created_by: 'ada',
  created_by_user_id: 1,
  environment: null,
  project: 'default',
  feature_name: name,
  data: { name },
  pre_data: null,
  tags: [],
  event_id: '01890000-0000-7000-8000-000000000001',
  recorded_at: new Date('2026-01-01T00:00:01Z'),
  version: 1,
  source: 'flags',
  created_by_username: 'ada',
  request_id: 'r1',
  traceparent: null,
});

function log(from: number, to: number, previous = ''): LinkedEvent[] {
  const events = Array.from({ length: to - from + 1 }, (_, n) => event(from + n));
  const hashes = hashesOf(previous, events);
  return events.map((each, index) => linked(each, hashes[index]!));
}

/** The event as the recorder inserts it, with the given hash. */
function linked(each: ChainedEvent, hash: string | null): LinkedEvent {
  const { type, created_by: createdBy, data } = each;
  const text = searchTextOf({ type, createdBy, createdByUsername: 'ada', data });
  return { ...each, hash, search_text: text };
}

const empty = { id: 0, hash: '' };
const beginning = (id: number): Anchor => ({ id, hash: '', reason: 'beginning' });

test('a hash of version 2 covers the previous hash, a line end and every column of the event in canonical form', () => {
  const form =
    '{"createdAt":"2026-01-01T00:00:00.000Z","createdBy":"ada","createdByUserId":1,"createdByUsername":"ada",' +
    '"data":{"name":"flag-1"},"environment":null,"eventId":"01890000-0000-7000-8000-000000000001","featureName":"flag-1",' +
    '"id":1,"preData":null,"project":"default","recordedAt":"2026-01-01T00:00:01.000Z","requestId":"r1","source":"flags",' +
    '"tags":[],"traceparent":null,"type":"feature-created","version":1}';
  expect(hashOf('before', event(1))).toBe(`v2.${createHash('sha256').update(`before\n${form}`).digest('base64url')}`);
});

test('a hash of version 1 covers the previous hash, a line end and the canonical form of the event as served', () => {
  const served =
    '{"createdAt":"2026-01-01T00:00:00.000Z","createdBy":"ada","createdByUserId":1,"data":{"name":"flag-1"},"environment":null,' +
    '"featureName":"flag-1","id":1,"preData":null,"project":"default","tags":[],"type":"feature-created"}';
  expect(hashOfVersion1('before', event(1))).toBe(createHash('sha256').update(`before\n${served}`).digest('base64url'));
});

/** A log in which recorders of both versions took turns. Each hashes the stored hash before its event. */
function mixedLog(...versions: (1 | 2)[]): LinkedEvent[] {
  let hash = '';
  return versions.map((version, index) => {
    hash = (version === 1 ? hashOfVersion1 : hashOf)(hash, event(index + 1));
    return linked(event(index + 1), hash);
  });
}

test('events of version 1 and of both versions in any order are verified, and a change is found in each', () => {
  for (const versions of [
    [1, 1, 1, 1],
    [1, 1, 2, 2],
    [2, 1, 2, 1],
    [1, 2, 1, 1],
  ] as const) {
    const events = mixedLog(...versions);
    expect(verifyLinks(empty, events, [])).toMatchObject({ verified: 4, broken: null });
    for (const at of [0, 1, 2, 3]) {
      const changed = events.with(at, { ...events[at]!, project: 'eve' });
      expect(verifyLinks(empty, changed, []).broken?.id).toBe(at + 1);
    }
  }
});

test('a hash of another version is reported', () => {
  const events = log(1, 3);
  const other = events.with(1, { ...events[1]!, hash: events[1]!.hash!.replace('v2.', 'v3.') });
  expect(verifyLinks(empty, other, []).broken).toMatchObject({ id: 2, reason: expect.stringContaining('no version') });
});

test('an unchanged chain is verified to its end', () => {
  const events = log(1, 5);
  expect(verifyLinks(empty, events, [])).toEqual({ last: { id: 5, hash: events[4]!.hash }, verified: 5, broken: null });
});

test.each<[string, (events: LinkedEvent[]) => LinkedEvent[], number]>([
  ['changed', (events) => events.map((each) => (each.id === 3 ? { ...each, created_by: 'eve' } : each)), 3],
  [
    'changed together with its own hash',
    (events) => [
      ...events.slice(0, 2),
      ...log(3, 3, events[1]!.hash!).map((e) => ({
        ...e,
        environment: 'eve',
        hash: hashOf(events[1]!.hash!, { ...e, environment: 'eve' }),
      })),
      ...events.slice(3),
    ],
    4,
  ],
  ['removed', (events) => events.filter(({ id }) => id !== 3), 3],
  [
    'removed and the rest renumbered',
    (events) => events.filter(({ id }) => id !== 3).map((each, index) => ({ ...each, id: index + 1 })),
    3,
  ],
  [
    'inserted',
    (events) => [
      ...events.slice(0, 2),
      linked(event(3, 'forged'), 'x'),
      ...events.slice(2).map((each) => ({ ...each, id: each.id + 1 })),
    ],
    3,
  ],
  [
    'exchanged with another',
    (events) =>
      events.map((each) =>
        each.id === 2 ? { ...events[3]!, id: 2 } : each.id === 4 ? { ...events[1]!, id: 4 } : each,
      ),
    2,
  ],
  [
    'hidden from searches',
    (events) => events.map((each) => (each.id === 4 ? { ...each, search_text: 'something else' } : each)),
    4,
  ],
  ['stripped of its hash', (events) => events.map((each) => (each.id === 4 ? { ...each, hash: null } : each)), 4],
])('an event that is %s is reported', (_what, tamper, id) => {
  const { broken, verified } = verifyLinks(empty, tamper(log(1, 5)), []);
  expect(broken?.id).toBe(id);
  expect(verified).toBe(id - 1);
});

test('events of a version without the chain are skipped up to the new beginning, and are not counted as verified', () => {
  const old = [3, 4].map((id) => linked(event(id), null));
  const events = [...log(1, 2), ...old, ...log(5, 6)];
  expect(verifyLinks(empty, events, [beginning(4)])).toMatchObject({ verified: 4, broken: null });
  expect(verifyLinks(empty, events, []).broken?.id).toBe(3);
});

test('an event without a hash that is hidden from searches is reported', () => {
  const events = [1, 2, 3].map((id) => linked(event(id), null));
  events[1] = { ...events[1]!, search_text: '' };
  expect(verifyLinks(empty, events, [beginning(3)]).broken?.id).toBe(2);
});

test.each<[string, number, Anchor[], number | null]>([
  ['at the beginning', 1, [beginning(0)], 0],
  ['in the middle', 500, [beginning(0)], null],
  ['at the first event, although an anchor says that the chain begins later', 1, [beginning(40)], 0],
  ['before the chain began', 7, [beginning(40)], null],
  ['among the events that retention dropped', 7, [beginning(0), { id: 99, hash: 'h', reason: 'retention' }], 99],
  ['at the first event that retention kept', 100, [beginning(0), { id: 99, hash: 'h', reason: 'retention' }], 99],
  ['where a new chain begins', 41, [beginning(0), beginning(40)], 40],
])('a range that begins %s starts at the right anchor', (_what, from, anchors, id) => {
  expect(anchorFor(from, anchors)?.id ?? null).toBe(id);
});
