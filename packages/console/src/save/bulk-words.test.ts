import { expect, test } from 'vitest';
import type { BulkAction } from './bulk-action.ts';
import { describeBulkAction, describeBulkDone } from './bulk-words.ts';

test.each<[BulkAction, number, string, string]>([
  [
    { kind: 'switch', environment: 'production', isOn: true },
    3,
    'switches 3 flags on in production',
    'Switched 3 flags on in production.',
  ],
  [{ kind: 'stale', isStale: false }, 1, 'marks one flag as no longer stale', 'Marked one flag as no longer stale.'],
  [{ kind: 'tag', tag: null }, 2, 'adds a tag to 2 flags', 'Added a tag to 2 flags.'],
])('says what %o does to several flags, and what it has done', (action, count, does, done) => {
  expect(describeBulkAction(action, count)).toBe(does);
  expect(describeBulkDone(action, count)).toBe(done);
});
