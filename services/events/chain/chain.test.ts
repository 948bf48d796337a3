import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type LoggedEvent, searchTextOf } from '../events/event.ts';
import { type Anchor, anchorFor, follow, hashesOf, hashOf, type LinkedEvent } from './chain.ts';

const event = (id: number, name = `flag-${id}`): LoggedEvent => ({
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
});

function log(from: number, to: number, previous = ''): LinkedEvent[] {
  const events = Array.from({ length: to - from + 1 }, (_, n) => event(from + n));
  const hashes = hashesOf(previous, events);
  return events.map((each, index) => linked(each, hashes[index]!));
}

/** As it is recorded, but for the hash. */
function linked(each: LoggedEvent, hash: string | null): LinkedEvent {
  const { type, created_by: createdBy, data } = each;
  const text = searchTextOf({ type, createdBy, createdByUsername: 'ada', data });
  return { ...each, hash, created_by_username: 'ada', search_text: text };
}

const empty = { id: 0, hash: '' };
const beginning = (id: number): Anchor => ({ id, hash: '', reason: 'beginning' });

test('a hash is that of the hash before, a line end and the canonical form of the event as served', () => {
  const served =
    '{"createdAt":"2026-01-01T00:00:00.000Z","createdBy":"ada","createdByUserId":1,"data":{"name":"flag-1"},"environment":null,' +
    '"featureName":"flag-1","id":1,"preData":null,"project":"default","tags":[],"type":"feature-created"}';
  expect(hashOf('before', event(1))).toBe(createHash('sha256').update(`before\n${served}`).digest('base64url'));
});

test('a chain that nobody touched is followed to its end', () => {
  const events = log(1, 5);
  expect(follow(empty, events, [])).toEqual({ last: { id: 5, hash: events[4]!.hash }, verified: 5, broken: null });
});

test.each<[string, (events: LinkedEvent[]) => LinkedEvent[], number]>([
  ['changed', (events) => events.map((each) => (each.id === 3 ? { ...each, created_by: 'eve' } : each)), 3],
  [
    'changed with its own hash made anew',
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
  ['taken out', (events) => events.filter(({ id }) => id !== 3), 3],
  [
    'taken out and the rest renumbered',
    (events) => events.filter(({ id }) => id !== 3).map((each, index) => ({ ...each, id: index + 1 })),
    3,
  ],
  [
    'put in',
    (events) => [
      ...events.slice(0, 2),
      linked(event(3, 'forged'), 'x'),
      ...events.slice(2).map((each) => ({ ...each, id: each.id + 1 })),
    ],
    3,
  ],
  [
    'exchanged',
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
  ['robbed of its hash', (events) => events.map((each) => (each.id === 4 ? { ...each, hash: null } : each)), 4],
])('an event that is %s is named', (_what, tamper, id) => {
  const { broken, verified } = follow(empty, tamper(log(1, 5)), []);
  expect(broken?.id).toBe(id);
  expect(verified).toBe(id - 1);
});

test('events of a version that knew no chain are passed over up to where the chain begins anew, and counted as not verified', () => {
  const old = [3, 4].map((id) => linked(event(id), null));
  const events = [...log(1, 2), ...old, ...log(5, 6)];
  expect(follow(empty, events, [beginning(4)])).toMatchObject({ verified: 4, broken: null });
  expect(follow(empty, events, []).broken?.id).toBe(3);
});

test('an event without a hash that is hidden from searches is named as well', () => {
  const events = [1, 2, 3].map((id) => linked(event(id), null));
  events[1] = { ...events[1]!, search_text: '' };
  expect(follow(empty, events, [beginning(3)]).broken?.id).toBe(2);
});

test.each<[string, number, Anchor[], number | null]>([
  ['at the beginning', 1, [beginning(0)], 0],
  ['in the middle', 500, [beginning(0)], null],
  ['at the beginning, which the anchors deny', 1, [beginning(40)], 0],
  ['before the chain began', 7, [beginning(40)], null],
  ['in what retention has dropped', 7, [beginning(0), { id: 99, hash: 'h', reason: 'retention' }], 99],
  ['at the first that retention has left', 100, [beginning(0), { id: 99, hash: 'h', reason: 'retention' }], 99],
  ['where the chain begins anew', 41, [beginning(0), beginning(40)], 40],
])('a range that begins %s is taken up at the anchor that fits', (_what, from, anchors, id) => {
  expect(anchorFor(from, anchors)?.id ?? null).toBe(id);
});
