import { adminTokenUserId, systemActor } from '@yardarm/shared/contracts';
import { describe, expect, it } from 'vitest';
import { requirePerson, requireRoomForPersonalToken } from './personal-token.ts';

describe('whose personal tokens they are', () => {
  it('are those of the person who asks', () => {
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

describe('room for one more', () => {
  it.each([
    [0, 10, true],
    [9, 10, true],
    [10, 10, false],
    // The setting was lowered.
    [11, 10, false],
    [0, 0, false],
  ])('with %i of %i: %s', (count, limit, isFree) => {
    const ask = () => requireRoomForPersonalToken(count, limit);
    if (isFree) expect(ask).not.toThrow();
    else expect(ask).toThrow(`at most ${limit} per user`);
  });
});
