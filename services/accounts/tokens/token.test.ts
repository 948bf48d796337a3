import { resolvedTokenSchema } from '@yardarm/shared/contracts/accounts';
import { describe, expect, it } from 'vitest';
import { decideExpiry, resolve, type StoredToken, type TokenOwner } from './token.ts';

const now = new Date('2026-06-01T12:00:00.000Z');

const owner: TokenOwner = {
  id: 7,
  kind: 'service-account',
  username: 'ci',
  name: 'CI',
  email: null,
  isDeleted: false,
  mustChangePassword: false,
  roles: [{ projects: null, since: null, permissions: [{ permission: 'CREATE_FEATURE', environment: null }] }],
};

const token = (over: Partial<StoredToken>): StoredToken => ({
  id: 1,
  kind: 'personal',
  name: 'deploys',
  selector: 's',
  hash: 'h',
  expiresAt: new Date('2027-01-01T00:00:00.000Z'),
  environment: null,
  projects: [],
  owner,
  ...over,
});

describe('what a token may do', () => {
  it('grants a service account what its root role permits', () => {
    const resolved = resolve(token({}));
    expect(resolvedTokenSchema.parse(resolved)).toEqual({
      id: 1,
      kind: 'personal',
      name: 'deploys',
      selector: 's',
      hash: 'h',
      expiresAt: '2027-01-01T00:00:00.000Z',
      environment: null,
      projects: [],
      actor: {
        kind: 'service-account',
        id: 7,
        username: 'ci',
        name: 'CI',
        grants: [{ permissions: ['CREATE_FEATURE'] }],
      },
      mustChangePassword: false,
    });
  });

  it('uses the e-mail address of a person without a username as name', () => {
    const person: TokenOwner = { ...owner, kind: 'user', username: null, email: 'a@example.com' };
    expect(resolve(token({ owner: person }))?.actor).toMatchObject({ kind: 'user', username: 'a@example.com' });
  });

  it('grants an admin token everything under its own name', () => {
    const admin = token({ kind: 'admin', name: 'initial admin token 1', owner: null, expiresAt: null });
    expect(resolve(admin)).toMatchObject({
      expiresAt: null,
      actor: { kind: 'admin-token', id: -42, username: 'initial admin token 1', grants: [{ permissions: ['ADMIN'] }] },
    });
  });

  it.each(['client', 'frontend'] as const)('has its scope and no actor for a %s token', (kind) => {
    const resolved = resolve(token({ kind, owner: null, environment: 'development', projects: ['default'] }));
    expect(resolved).toMatchObject({ kind, environment: 'development', projects: ['default'], actor: null });
  });

  it.each([
    ['was deleted', { ...owner, isDeleted: true }],
    ['does not exist', null],
  ])('is nothing for a personal token whose owner %s', (_, gone) => {
    expect(resolve(token({ owner: gone }))).toBeNull();
  });
});

describe('the expiry of a new token', () => {
  it.each([
    ['2026-06-01T12:00:00.001Z', '2026-06-01T12:00:00.001Z'],
    ['2026-06-01T14:00:01+02:00', '2026-06-01T12:00:01.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('is accepted: %s', (sent, meant) => {
    expect(decideExpiry(sent, now).toISOString()).toBe(meant);
  });

  it.each([
    '2026-06-01T12:00:00.000Z',
    '2026-06-01T13:59:59+02:00',
    '0001-01-01T00:00:00Z',
    'never',
    '9999-12-31T23:59:59-23:00',
  ])('is refused with its value: %s', (sent) => {
    expect(() => decideExpiry(sent, now)).toThrow(
      new RegExp(`^The .expiresAt property should .*You sent "${sent.replace('+', '\\+')}"\\.$`),
    );
  });
});
