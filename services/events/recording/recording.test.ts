import type { PublishedEvent } from '@yardarm/shared/contracts/events';
import { publishedEvent } from '@yardarm/testing/events';
import { expect, test } from 'vitest';
import { countsOf, numberEvents, readMessages } from './recording.ts';

const now = new Date();

const uuid = (n: number) => `01890000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

const event = (n: number, changes: Partial<PublishedEvent> = {}): PublishedEvent =>
  publishedEvent({ eventId: uuid(n), createdAt: '2026-01-01T00:00:00.000Z', ...changes });

const message = (sequence: number, payload: unknown) => ({
  sequence,
  subject: 'evt.flags.feature-created',
  msgId: null,
  payload,
});

test('messages that are no events become dead letters with a reason, and the others keep their order', () => {
  const bad = { ...event(9), type: 'feature-exploded', createdBy: 7 };
  const { events, deadLetters } = readMessages([
    message(1, event(1)),
    message(2, bad),
    message(3, 'x'),
    message(4, event(2)),
  ]);
  expect(events.map(({ eventId }) => eventId)).toEqual([uuid(1), uuid(2)]);
  expect(deadLetters.map(({ message }) => message.sequence)).toEqual([2, 3]);
  expect(deadLetters[0]!.reason).toContain('.type');
  expect(deadLetters[0]!.reason).toContain('You sent 7');
});

test('an event under the subject of another source or type becomes a dead letter', () => {
  const { events, deadLetters } = readMessages([
    message(1, event(1, { source: 'accounts', type: 'user-created' })),
    message(2, event(2, { type: 'feature-archived' })),
    message(3, event(3)),
  ]);
  expect(events.map(({ eventId }) => eventId)).toEqual([uuid(3)]);
  expect(deadLetters.map(({ reason }) => reason)).toEqual([
    'The event says that it is user-created of accounts, and was published as evt.flags.feature-created.',
    'The event says that it is feature-archived of flags, and was published as evt.flags.feature-created.',
  ]);
});

test('the reason of a message with a hundred problems names a few and says how many more', () => {
  const tags = Array.from({ length: 100 }, () => ({ type: 'x', value: 'y' }));
  const [deadLetter] = readMessages([message(1, { ...event(1), tags })]).deadLetters;
  expect(deadLetter!.reason).toMatch(/And \d+ more\.$/);
  expect(deadLetter!.reason.length).toBeLessThan(1_000);
});

test('new events get ids from the last one without a gap, in stream order', () => {
  const events = [event(3), event(1), event(2), event(4)];
  const entries = numberEvents(events, new Set([uuid(2), uuid(3), uuid(4)]), 41, now);
  expect(entries.map(({ id, event: { eventId } }) => [id, eventId])).toEqual([
    [42, uuid(3)],
    [43, uuid(2)],
    [44, uuid(4)],
  ]);
});

test('an event that is in a batch twice gets one id', () => {
  const again = event(0xabc, { eventId: uuid(0xabc).toUpperCase() });
  const entries = numberEvents([event(0xabc), again, event(2)], new Set([uuid(0xabc), uuid(2)]), 0, now);
  expect(entries.map(({ id, event: { eventId } }) => [id, eventId])).toEqual([
    [1, uuid(0xabc)],
    [2, uuid(2)],
  ]);
});

test('counters rise in total and per type, project and flag', () => {
  const entries = [event(1), event(2, { featureName: null }), event(3, { project: null, type: 'user-created' })].map(
    (recorded) => ({ event: recorded }),
  );
  expect(countsOf(entries)).toEqual([
    { kind: 'total', name: '', count: 3 },
    { kind: 'type', name: 'feature-created', count: 2 },
    { kind: 'project', name: 'default', count: 2 },
    { kind: 'feature', name: 'checkout', count: 2 },
    { kind: 'type', name: 'user-created', count: 1 },
  ]);
});
