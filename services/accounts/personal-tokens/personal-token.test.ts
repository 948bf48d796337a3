import { adminTokenUserId, systemActor } from '@yardarm/shared/contracts';
import { describe, expect, it } from 'vitest';
import { requireBelowPersonalTokenLimit, requirePerson } from './personal-token.ts';

describe('the owner of personal tokens', () => {
  it('is the caller, if it is a person', () => {
    expect(requirePerson({ kind: 'user', id: 7, username: 'ann', grants: [] })).toBe(7);
  });

  it.each([
    [{ kind: 'service-account', id: 7, username: 'ci', grants: [] }],
    [{ kind: 'admin-token', id: adminTokenUserId, username: 'root', grants: [{ permissions: ['ADMIN'] }] }],
    [systemActor],
    [null],
  ] as const)('are not those of %j', (actor) => {
    expect(() => requirePerson(actor as never)).toThrow('PATs require an authenticated user.');
  });
});

describe('the limit of personal tokens', () => {
  it.each([
    [0, 10, true],
    [9, 10, true],
    [10, 10, false],
    // After the setting was lowered.
    [11, 10, false],
    [0, 0, false],
  ])('with %i tokens of %i, one more is allowed: %s', (count, limit, isAllowed) => {
    const ask = () => requireBelowPersonalTokenLimit(count, limit);
    if (isAllowed) expect(ask).not.toThrow();
    else expect(ask).toThrow(`at most ${limit} per user`);
  });
});
