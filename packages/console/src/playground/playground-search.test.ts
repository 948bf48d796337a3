import { expect, it } from 'vitest';
import { parsePlaygroundSearch, toQuestion } from './playground-search.ts';

it('takes what it knows from an address, and nothing else', () => {
  const whole = { environments: ['development'], project: 'shop', context: [['userId', '7']] };
  expect(parsePlaygroundSearch({ ...whole, other: 1 })).toEqual(whole);
  expect(parsePlaygroundSearch({ environments: 'development', project: 7, context: [['userId']] })).toEqual({});
});

it('asks with the fields that have a name and a value', () => {
  const context: [string, string][] = [
    ['userId', '7'],
    ['country', ''],
    ['', 'NO'],
  ];
  expect(toQuestion({ environments: ['development'], context })).toEqual({
    environments: ['development'],
    projects: '*',
    context: { appName: 'playground', userId: '7' },
  });
  expect(toQuestion({ environments: ['development'], project: 'shop' })?.projects).toEqual(['shop']);
  expect(toQuestion({ context })).toBeNull();
});
