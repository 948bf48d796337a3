import { expect, it } from 'vitest';
import { differences } from './differences.ts';

it('names what differs, with its path', () => {
  const before = { name: 'a', parameters: { rollout: '25', groupId: 'x' }, tags: ['a'] };
  const after = { name: 'a', parameters: { rollout: '50', groupId: 'x' }, tags: ['a', 'b'] };
  expect(differences(before, after)).toEqual([
    { path: 'parameters.rollout', before: '25', after: '50' },
    { path: 'tags', before: ['a'], after: ['a', 'b'] },
  ]);
});

it('takes a missing side as nothing', () => {
  expect(differences(null, { enabled: true })).toEqual([{ path: 'enabled', before: undefined, after: true }]);
  expect(differences({ enabled: true }, null)).toEqual([{ path: 'enabled', before: true, after: undefined }]);
  expect(differences(null, null)).toEqual([]);
});
