import { expect, test } from 'vitest';
import { type LogEnds, rangeToRead, type TailQuery } from './tail.ts';

type Query = Pick<TailQuery, 'after' | 'upTo' | 'epoch'>;

const at = (head: number, ends: Partial<LogEnds> = {}): LogEnds => ({
  ...{ head, dropped: 0, restoredSince: null, restored: null },
  ...ends,
});
const epoch = '0a1c3a1e-64b1-4f6b-9d1e-6a3f7f1f2a10';

test.each<[string, Query, LogEnds, { after: number; upTo: number }]>([
  ['ends with the log', { after: 10 }, at(30), { after: 10, upTo: 30 }],
  ['ends where the query ends', { after: 10, upTo: 20 }, at(30), { after: 10, upTo: 20 }],
  ['has at most fifty thousand ids', { after: 10 }, at(1_000_000), { after: 10, upTo: 50_010 }],
  ['begins after the dropped events', { after: 10 }, at(30, { dropped: 19 }), { after: 19, upTo: 30 }],
  ['is empty after the end of the log', { after: 40 }, at(30), { after: 40, upTo: 40 }],
  ['is empty when its events were dropped', { after: 5, upTo: 10 }, at(30, { dropped: 19 }), { after: 19, upTo: 19 }],
  [
    'begins behind the events of a backup that was restored since',
    { after: 25, epoch },
    at(30, { restoredSince: 20, restored: 22 }),
    { after: 20, upTo: 30 },
  ],
  [
    'begins after a position that the backup has',
    { after: 15, epoch },
    at(30, { restoredSince: 20, restored: 20 }),
    { after: 15, upTo: 30 },
  ],
  [
    'begins behind the events of the newest backup for a position beyond the end',
    { after: 40, epoch },
    at(30, { restored: 20 }),
    { after: 20, upTo: 30 },
  ],
  [
    'begins where a query without an epoch asks for',
    { after: 25 },
    at(30, { restoredSince: 20, restored: 20 }),
    { after: 25, upTo: 30 },
  ],
])('the range to read %s', (_what, query, ends, range) => {
  expect(rangeToRead({ limit: 10, ...query }, ends)).toEqual(range);
});
