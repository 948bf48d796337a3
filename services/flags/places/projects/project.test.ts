import { describe, expect, test } from 'vitest';
import { checkedFeatureNaming, checkFeatureName } from './feature-naming.ts';
import { environmentsOfNewProject, idFromName } from './project.ts';
import { technicalDebt } from './project-view.ts';

describe('the id of a project is made from its name', () => {
  test.each([
    ['Web shop', undefined, 'web-shop'],
    ['  Crème   brûlée (2) ', undefined, 'creme-brulee-2'],
    ['店', undefined, 'project'],
    ['店', 'f00', 'project-f00'],
    ['x'.repeat(100), 'f00', `${'x'.repeat(80)}-f00`],
  ])('%s', (name, suffix, id) => {
    expect(idFromName(name, suffix)).toBe(id);
  });
});

describe('the environments of a new project', () => {
  const known = [
    { name: 'development', enabled: true },
    { name: 'staging', enabled: false },
    { name: 'production', enabled: true },
  ];

  test('are all that are on, unless some are asked for', () => {
    expect(environmentsOfNewProject(known)).toEqual(['development', 'production']);
    expect(environmentsOfNewProject(known, [])).toEqual(['development', 'production']);
    expect(environmentsOfNewProject(known, ['production', 'production'])).toEqual(['production']);
  });

  test.each(['staging', 'nowhere'])('cannot be one that is off or does not exist: %s', (name) => {
    expect(() => environmentsOfNewProject(known, ['production', name])).toThrow(`.environments`);
    expect(() => environmentsOfNewProject(known, ['production', name])).toThrow(`"${name}"`);
  });
});

describe('names of flags follow the naming pattern of their project', () => {
  const naming = (pattern: string) => ({ pattern, example: null, description: null });

  test('a project without a pattern allows every name', () => {
    expect(() => checkFeatureName('anything', null)).not.toThrow();
    expect(() => checkFeatureName('anything', { pattern: null })).not.toThrow();
  });

  test.each([
    ['shop\\.[a-z]+', 'shop.checkout', true],
    ['shop\\.[a-z]+', 'my.shop.checkout', false],
    ['shop\\.[a-z]+', 'shop.checkout2', false],
    ['^shop$', 'shop', true],
    ['a|b', 'b', true],
    ['a|b', 'ab', false],
    ['(a+)+', `${'a'.repeat(40)}!`, false],
  ])('the pattern %s and the name %s', (pattern, name, isAllowed) => {
    const check = expect(() => checkFeatureName(name, naming(pattern)));
    if (isAllowed) check.not.toThrow();
    else check.toThrow(`"${name}"`);
  });

  test('a refusal shows the example and the description', () => {
    const rule = { pattern: 'a', example: 'a', description: 'Only a.' };
    expect(() => checkFeatureName('b', rule)).toThrow('Example: a. Only a.');
  });

  test.each(['(', '(?=a)', 'a{2000}', 'a{600}b{600}'])('a pattern that is not RE2 is refused: %s', (pattern) => {
    expect(() => checkedFeatureNaming({ pattern })).toThrow('.featureNaming.pattern');
  });

  test('an example that does not match is refused', () => {
    expect(() => checkedFeatureNaming({ pattern: 'a+', example: 'b' })).toThrow('.featureNaming.example');
  });

  test('an empty pattern removes the rule', () => {
    expect(checkedFeatureNaming({ pattern: '', example: 'a' })).toBeNull();
    expect(checkedFeatureNaming({ pattern: null })).toBeNull();
  });
});

test('technical debt is the share of stale and potentially stale flags', () => {
  const counts = (featureCount: number, staleFeatureCount: number, potentiallyStaleFeatureCount: number) =>
    technicalDebt({ featureCount, staleFeatureCount, potentiallyStaleFeatureCount });
  expect(counts(0, 0, 0)).toEqual({ health: 100, technicalDebt: 0 });
  expect(counts(19, 3, 1)).toEqual({ health: 79, technicalDebt: 21 });
  expect(counts(2, 1, 1)).toEqual({ health: 0, technicalDebt: 100 });
});
