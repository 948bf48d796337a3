import { describe, expect, it } from 'vitest';
import { wantedSince } from './snapshot.ts';

const ours = { default: 5, shop: 3 };
const epoch = 'a';

describe('wantedSince', () => {
  it.each([
    ['nothing is known', null],
    ['another epoch is known', { epoch: 'b', revisions: ours }],
    ['a revision above ours is known', { epoch, revisions: { default: 6, shop: 3 } }],
    ['a project is known that we do not have', { epoch, revisions: { ...ours, gone: 1 } }],
    ['a project is known by a name that every object has', { epoch, revisions: { toString: 0 } }],
  ])('wants everything when %s', (_, known) => {
    expect(wantedSince(known, epoch, ours)).toBeNull();
  });

  it('wants what came after the known revisions', () => {
    expect(wantedSince({ epoch, revisions: { default: 4, shop: 3 } }, epoch, ours)).toEqual({ default: 4, shop: 3 });
  });

  it('wants a project that was not known from its beginning', () => {
    expect(wantedSince({ epoch, revisions: { default: 5 } }, epoch, ours)).toEqual({ default: 5, shop: 0 });
  });
});
