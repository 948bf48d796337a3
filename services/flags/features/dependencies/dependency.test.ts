import { describe, expect, it } from 'vitest';
import { stored } from '../../testing/stored-feature.ts';
import { type Dependency, requestedParents, requireOneLevel, requireParent } from './dependency.ts';

const on = (feature: string): Dependency => ({ feature, enabled: true, variants: [] });
const family = { parents: [], childIsParent: false, parentsWithParents: [] };

describe('the parents of a request', () => {
  const one = { enabled: true, variants: [] };

  it('are one, or those of a list', () => {
    expect(requestedParents({ ...one, feature: 'parent' })).toEqual([on('parent')]);
    expect(requestedParents({ ...one, parents: [on('a'), on('b')] })).toEqual([on('a'), on('b')]);
  });

  it.each([
    [one, 'The .feature property is required, unless .parents is given. You sent undefined.'],
    [{ ...one, feature: 'a', parents: [on('b')] }, 'The .feature property cannot be given together with .parents.'],
    [
      { ...one, parents: [on('a'), on('b'), on('a')] },
      'The .parents property should name each flag once. You sent "a".',
    ],
    [
      { feature: 'a', enabled: false, variants: ['blue'] },
      'The .variants property should be empty where .enabled is false',
    ],
    [
      { ...one, parents: [on('a'), { ...on('b'), enabled: false, variants: ['x'] }] },
      'The .parents[1].variants property',
    ],
  ])('are refused: %j', (request, message) => {
    expect(() => requestedParents(request)).toThrow(message);
  });
});

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

it.each([
  ['of a parent', { ...family, childIsParent: true }, 'Other flags depend on "child"'],
  ['on a child', { ...family, parentsWithParents: ['parent'] }, '"parent" depends on a flag'],
])('a dependency %s is refused', (_, others, message) => {
  expect(() => requireOneLevel('child', others)).toThrow(message);
});
