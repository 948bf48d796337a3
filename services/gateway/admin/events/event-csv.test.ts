import type { Event } from '@yardarm/shared/contracts/events';
import { expect, test } from 'vitest';
import { eventCsvHead, eventCsvLine } from './event-csv.ts';

const event: Event = {
  id: 7,
  createdAt: '2026-01-01T00:00:00.000Z',
  type: 'feature-created',
  createdBy: 'ada',
  createdByUserId: -42,
  environment: null,
  project: 'default',
  featureName: 'checkout',
  data: { name: 'a "b", c' },
  preData: null,
  tags: [],
};

test('an event is a line with a cell for each column', () => {
  expect(eventCsvHead).toBe(
    'id,createdAt,type,createdBy,createdByUserId,environment,project,featureName,data,preData,tags\r\n',
  );
  expect(eventCsvLine(event)).toBe(
    '7,2026-01-01T00:00:00.000Z,feature-created,ada,-42,,default,checkout,"{""name"":""a \\""b\\"", c""}",,[]\r\n',
  );
});

test.each([
  ['=1+1', "'=1+1"],
  ['+cmd', "'+cmd"],
  ['-2', "'-2"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  ['\r=1', '"\'\r\'=1"'],
  ['\n=1', '"\'\n\'=1"'],
  ['a;=1', "a;'=1"],
  ['a\r\n-1', '"a\r\n\'-1"'],
  ['a; b\r\nc', '"a; b\r\nc"'],
  ['a=1', 'a=1'],
  ['a,b', '"a,b"'],
  ['a\nb', '"a\nb"'],
])('the text %j is the cell %j, which is no formula', (createdBy, cell) => {
  expect(eventCsvLine({ ...event, createdBy })).toContain(`,feature-created,${cell},-42,`);
});
