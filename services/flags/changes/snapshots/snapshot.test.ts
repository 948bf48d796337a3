import { describe, expect, it } from 'vitest';
import { isBehind } from './snapshot.ts';

const epoch = 'a';
const ours = { epoch, revisions: { default: 5, shop: 3 } };

describe('a known state', () => {
  it.each([
    ['of another epoch', { epoch: 'b', revisions: ours.revisions }],
    ['with a revision above ours', { epoch, revisions: { default: 6, shop: 3 } }],
    ['with an unknown project', { epoch, revisions: { ...ours.revisions, gone: 1 } }],
    ['with a project by a name that every object has', { epoch, revisions: { toString: 0 } }],
  ])('%s needs the whole', (_, known) => {
    expect(isBehind(known, ours)).toBe(false);
  });

  it.each([
    ['of ours', ours],
    ['of earlier revisions', { epoch, revisions: { default: 4, shop: 3 } }],
    ['without one of our projects', { epoch, revisions: { default: 5 } }],
  ])('%s needs a delta', (_, known) => {
    expect(isBehind(known, ours)).toBe(true);
  });
});
