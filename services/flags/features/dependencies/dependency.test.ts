import { maxParents } from '@yardarm/shared/contracts/flags';
import { describe, expect, it } from 'vitest';
import { stored } from '../../testing/stored-feature.ts';
import { type Dependency, requireOneLevel, requireParent } from './dependency.ts';

const on = (feature: string): Dependency => ({ feature, enabled: true, variants: [] });
const family = { parents: [], childIsParent: false, parentIsChild: false };

describe('a parent', () => {
  it('is another flag of the project that is not archived', () => {
    const parent = { ...stored, name: 'parent' };
    expect(() => requireParent(stored, parent, 'parent')).not.toThrow();
    const message = 'The .feature property should be a flag of the project default that is not archived.';
    expect(() => requireParent(stored, undefined, 'parent')).toThrow(`${message} You sent "parent".`);
    expect(() => requireParent(stored, { ...parent, project: 'other' }, 'parent')).toThrow(message);
    expect(() => requireParent(stored, { ...parent, archivedAt: new Date() }, 'parent')).toThrow(message);
  });

  it('is not the flag itself', () => {
    expect(() => requireParent(stored, stored, stored.name)).toThrow('cannot depend on itself');
  });
});

describe('a dependency', () => {
  it.each([
    ['of a parent', { ...family, childIsParent: true }, 'Other flags depend on "child"'],
    ['on a child', { ...family, parentIsChild: true }, '"parent" depends on a flag'],
    [
      'beyond the limit',
      { ...family, parents: Array.from({ length: maxParents }, (_, index) => on(`p${index}`)) },
      `at most ${maxParents} flags`,
    ],
  ])('%s is refused', (_, others, message) => {
    expect(() => requireOneLevel('child', on('parent'), others)).toThrow(message);
  });

  it('that replaces one is within the limit', () => {
    const parents = [on('parent'), ...Array.from({ length: maxParents - 1 }, (_, index) => on(`p${index}`))];
    expect(() => requireOneLevel('child', on('parent'), { ...family, parents })).not.toThrow();
  });
});
