import { expect, test } from 'vitest';
import { undoOf } from './change.ts';

test('a completion is taken back only where that leads to the stage before', () => {
  expect(undoOf({ kind: 'complete', status: 'kept', wasLive: true }, null)).toEqual([{ kind: 'uncomplete' }]);
  expect(undoOf({ kind: 'complete', status: 'kept', wasLive: false }, null)).toEqual([]);
});
