// Proves the rules of positions: by a table of streams, and by readers of streams that drop messages, lose the newest
// ones and are created again at random.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  beginning,
  countBehind,
  countDropped,
  handledIn,
  hasReached,
  isBeyondEnd,
  isLost,
  isSamePosition,
  type StreamPosition,
  type StreamRange,
  sequenceIn,
} from './stream-position.ts';

const at = (lastSequence: number, incarnation: string | null = 'first') => ({ incarnation, lastSequence });
const range = (firstSequence: number, lastSequence: number) => ({ incarnation: 'first', firstSequence, lastSequence });

it.each([
  // lost, beyond, sequence, handled, dropped, behind
  ['nothing was read', beginning, range(1, 9), [true, false, 0, 0, 0, 9]],
  ['nothing was read, and the oldest are dropped', beginning, range(4, 9), [true, false, 0, 3, 0, 6]],
  ['within the stream', at(5), range(1, 9), [false, false, 5, 5, 0, 4]],
  ['at the end', at(9), range(1, 9), [false, false, 9, 9, 0, 0]],
  ['before the first message', at(3), range(4, 9), [false, false, 3, 3, 0, 6]],
  ['before dropped messages', at(1), range(4, 9), [false, false, 1, 3, 2, 6]],
  ['the stream has dropped all', at(5), range(10, 9), [false, false, 5, 9, 4, 0]],
  ['beyond the end', at(10), range(1, 9), [true, true, 0, 0, 0, 9]],
  ['beyond the end, and the oldest are dropped', at(10), range(4, 9), [true, true, 0, 3, 0, 6]],
  ['of another incarnation', at(5, 'other'), range(4, 9), [true, false, 0, 3, 0, 6]],
  ['of another incarnation, beyond the end', at(10, 'other'), range(1, 9), [true, false, 0, 0, 0, 9]],
  ['the stream is empty', at(5, 'other'), range(0, 0), [true, false, 0, 0, 0, 0]],
])('a position: %s', (_, position: StreamPosition, stream: StreamRange, expected) => {
  expect([
    ...[isLost(position, stream), isBeyondEnd(position, stream), sequenceIn(position, stream)],
    ...[handledIn(position, stream), countDropped(position, stream), countBehind(position, stream)],
  ]).toEqual(expected);
});

it.each([
  [at(5), at(5), true, true],
  [at(6), at(5), false, true],
  [at(4), at(5), false, false],
  [at(5, 'other'), at(5), false, false],
  [at(6, 'other'), at(5), false, false],
  [beginning, at(5), false, false],
  [beginning, beginning, true, true],
])('%j and the end %j: the same %s, reached %s', (position, end, isSame, isReached) => {
  expect([isSamePosition(position, end), hasReached(position, end)]).toEqual([isSame, isReached]);
});

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('publish' as const), count: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), count: fc.integer({ min: 1, max: 5 }) }) },
  { arbitrary: fc.record({ do: fc.constant('drop' as const), count: fc.integer({ min: 1, max: 5 }) }), weight: 2 },
  { arbitrary: fc.record({ do: fc.constant('lose' as const), count: fc.integer({ min: 1, max: 5 }) }), weight: 1 },
  { arbitrary: fc.record({ do: fc.constant('recreate' as const), count: fc.constant(0) }), weight: 1 },
);

it('a reader skips no message that its stream has, and counts those that were dropped unread', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let published = 0;
      let incarnation = 1;
      let lastSequence = 0;
      let messages: { id: number; sequence: number }[] = [];
      const handled = new Set<number>();
      let position = beginning;
      const stream = () => ({
        incarnation: String(incarnation),
        firstSequence: messages[0]?.sequence ?? lastSequence + 1,
        lastSequence,
      });
      /** What `read` does when it opens, and then for a batch. */
      const open = () => {
        position = { incarnation: String(incarnation), lastSequence: sequenceIn(position, stream()) };
      };
      const read = (count: number) => {
        const dropped = countDropped(position, stream());
        const first = messages.find(({ sequence }) => sequence > position.lastSequence);
        if (first) expect(first.sequence).toBe(position.lastSequence + dropped + 1);
        for (const message of messages.filter(({ sequence }) => sequence > position.lastSequence).slice(0, count)) {
          handled.add(message.id);
          position = { ...position, lastSequence: message.sequence };
        }
      };
      for (const { do: action, count } of steps) {
        if (action === 'publish') {
          for (let i = 0; i < count; i += 1) {
            published += 1;
            lastSequence += 1;
            messages.push({ id: published, sequence: lastSequence });
          }
        } else if (action === 'drop') messages = messages.slice(count);
        else if (action === 'lose') {
          messages = messages.slice(0, -count);
          lastSequence = Math.max(messages.at(-1)?.sequence ?? 0, lastSequence - count);
        } else if (action === 'recreate') {
          incarnation += 1;
          lastSequence = 0;
          messages = [];
        } else read(count);
        // A reader opens again at each loss, before the stream reaches its position again.
        open();
        expect(countBehind(position, stream())).toBe(
          messages.filter(({ sequence }) => sequence > position.lastSequence).length,
        );
      }
      read(messages.length);
      for (const { id } of messages) expect(handled).toContain(id);
      expect(countBehind(position, stream())).toBe(0);
    }),
  );
});
