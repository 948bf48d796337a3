import { expect, test } from 'vitest';
import { byFlag } from './by-flag.ts';

test('strategies of a flag in several environments are one entry', () => {
  const use = { projectId: 'default', featureName: 'checkout', strategyName: 'default' };
  const uses = [
    { ...use, id: '1', environment: 'development' },
    { ...use, id: '2', environment: 'development' },
    { ...use, id: '3', environment: 'production' },
    { ...use, id: '4', environment: 'production', projectId: 'shop' },
  ];
  expect(byFlag(uses)).toEqual([
    { projectId: 'default', featureName: 'checkout', environments: ['development', 'production'] },
    { projectId: 'shop', featureName: 'checkout', environments: ['production'] },
  ]);
});
