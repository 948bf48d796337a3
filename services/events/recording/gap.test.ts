import { expect, test } from 'vitest';
import { advance, type Gap, numbersOf, overdueGaps, type SourceNumbers } from './gap.ts';

const now = new Date('2026-01-01T00:00:00Z');
const gap = (first: number, last = first): Gap => ({ first, last, since: now.toISOString() });

test.each<[string, SourceNumbers | undefined, number[], SourceNumbers]>([
  ['are the first of a source set where it begins', undefined, [41, 42], { highest: 42, gaps: [] }],
  ['continue', { highest: 4, gaps: [] }, [5, 6], { highest: 6, gaps: [] }],
  ['are out of order within a batch', { highest: 4, gaps: [] }, [7, 5, 6], { highest: 7, gaps: [] }],
  ['skip some', { highest: 4, gaps: [] }, [5, 9, 11], { highest: 11, gaps: [gap(6, 8), gap(10)] }],
  ['fill a gap', { highest: 9, gaps: [gap(6, 8)] }, [8, 6, 7], { highest: 9, gaps: [] }],
  ['fill the middle of a gap', { highest: 9, gaps: [gap(2, 8)] }, [5, 4], { highest: 9, gaps: [gap(2, 3), gap(6, 8)] }],
  ['arrive again', { highest: 9, gaps: [gap(6, 7)] }, [1, 2, 9, 9], { highest: 9, gaps: [gap(6, 7)] }],
])('numbers that %s', (_what, known, arrived, after) => {
  expect(advance(known, arrived, now)).toEqual(after);
});

test('a gap is overdue after more than a minute', () => {
  const numbers = { highest: 9, gaps: [gap(6)] };
  expect(overdueGaps(numbers, new Date('2026-01-01T00:01:00Z'))).toEqual([]);
  expect(overdueGaps(numbers, new Date('2026-01-01T00:01:01Z'))).toEqual([gap(6)]);
});

test('numbers are grouped by source, and a message without one is ignored', () => {
  const message = (subject: string, number?: string) => ({
    ...{ sequence: 1, subject, msgId: null, payload: null },
    headers: (number === undefined ? {} : { 'Yardarm-Source-Sequence': number }) as Record<string, string>,
  });
  const messages = [
    ...[message('evt.flags.x', '1'), message('evt.accounts.y', '7'), message('evt.flags.z', '2')],
    ...[message('evt.flags.x'), message('evt.flags.x', 'null'), message('evt.flags.x', '1.5')],
  ];
  expect([...numbersOf(messages)]).toEqual([
    ['flags', [1, 2]],
    ['accounts', [7]],
  ]);
});
