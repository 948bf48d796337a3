import type { Actor, Permission } from '@yardarm/shared/contracts';
import { apiTokenSchema } from '@yardarm/shared/contracts/accounts';
import { describe, expect, it } from 'vitest';
import {
  type ApiTokenRequest,
  apiTokenEventData,
  apiTokenPlace,
  decideApiToken,
  decideProjectApiToken,
  permissionFor,
  prefixOf,
  readableKinds,
  refusePlaces,
  requireBelowApiTokenLimit,
  requireOwnToken,
  type StoredApiToken,
  toApiToken,
} from './api-token.ts';

const stored: StoredApiToken = {
  id: 3,
  kind: 'client',
  name: 'checkout',
  selector: 'a'.repeat(22),
  sealed: null,
  environment: 'development',
  projects: ['default'],
  createdAt: new Date('2026-06-01T12:00:00.000Z'),
  seenAt: null,
  expiresAt: null,
};

describe('a requested token', () => {
  it.each<[string, ApiTokenRequest, object]>([
    [
      'has every project and the environment development by default',
      { type: 'client', tokenName: 't' },
      { kind: 'client', environment: 'development', projects: ['*'] },
    ],
    [
      'may name one project by the older property',
      { type: 'frontend', tokenName: 't', environment: 'production', project: 'shop' },
      { kind: 'frontend', environment: 'production', projects: ['shop'] },
    ],
    [
      'names each project once',
      { type: 'client', tokenName: 't', projects: ['shop', 'default', 'shop'] },
      { kind: 'client', environment: 'development', projects: ['shop', 'default'] },
    ],
    [
      'has every project when * is among them',
      { type: 'client', tokenName: 't', projects: ['default', '*'] },
      { kind: 'client', environment: 'development', projects: ['*'] },
    ],
    [
      'has access to everything when it is an admin token',
      { type: 'admin', tokenName: 't', environment: '*', project: '*' },
      { kind: 'admin', environment: null, projects: ['*'] },
    ],
    [
      'has access to everything when it is an admin token without scope',
      { type: 'admin', tokenName: 't' },
      { kind: 'admin', environment: null, projects: ['*'] },
    ],
  ])('%s', (_title, request, scope) => {
    expect(decideApiToken(request)).toEqual({ name: 't', scope });
  });

  it('may have its name in the older property username', () => {
    expect(decideApiToken({ type: 'client', username: 'old' }).name).toBe('old');
    expect(decideApiToken({ type: 'client', username: 'old', tokenName: 'new' }).name).toBe('new');
  });

  it.each<[ApiTokenRequest, string]>([
    [{ type: 'client' }, 'The .tokenName property is required. You sent undefined.'],
    [{ type: 'client', tokenName: 't', environment: '*' }, 'The .environment property should be one environment'],
    [{ type: 'frontend', tokenName: 't', environment: '*' }, 'You sent "*".'],
    [
      { type: 'client', tokenName: 't', project: 'shop', projects: ['default'] },
      'The .project property cannot be given together with .projects. You sent "shop".',
    ],
    [{ type: 'client', tokenName: 't', projects: [] }, 'The .projects property should name a project'],
    [{ type: 'admin', tokenName: 't', environment: 'development' }, 'The .environment property should be *'],
    [{ type: 'admin', tokenName: 't', projects: ['shop'] }, 'The .projects property should be *'],
  ])('is refused: %j', (request, message) => {
    expect(() => decideApiToken(request)).toThrow(message);
  });

  it('has the project of its path, and is an SDK token', () => {
    expect(decideProjectApiToken('shop', { type: 'frontend', tokenName: 't' }).scope).toEqual({
      kind: 'frontend',
      environment: 'development',
      projects: ['shop'],
    });
    expect(() => decideProjectApiToken('shop', { type: 'admin', tokenName: 't' })).toThrow('You sent "admin".');
    expect(() => decideProjectApiToken('*', { type: 'client', tokenName: 't' })).toThrow('*');
  });

  it('names projects and an environment that exist', () => {
    expect(() => refusePlaces({ projects: [], environments: [] })).not.toThrow();
    expect(() => refusePlaces({ projects: ['nowhere'], environments: [] })).toThrow(
      'The .projects property should name projects that exist. You sent "nowhere".',
    );
    expect(() => refusePlaces({ projects: [], environments: ['never'] })).toThrow('.environment property');
  });
});

describe('the shape of a token', () => {
  it.each([
    [['default'], 'development', 'default:development.'],
    [['*'], 'development', '*:development.'],
    [['a', 'b'], 'production', '[]:production.'],
    [['*'], null, '*:*.'],
  ])('of %j in %s begins with %s', (projects, environment, prefix) => {
    expect(prefixOf({ kind: environment === null ? 'admin' : 'client', projects, environment })).toBe(prefix);
  });

  it('has its secret when it was just created, and elsewhere its selector', () => {
    expect(apiTokenSchema.parse(toApiToken(stored, { secret: 'whole' }))).toMatchObject({
      secret: 'whole',
      secure: false,
    });
    expect(toApiToken(stored)).toMatchObject({
      secret: `default:development.yd_${'a'.repeat(22)}`,
      secure: true,
      tokenName: 'checkout',
      project: 'default',
    });
  });

  it('is in events without secret, selector or last use, with its environment and project', () => {
    const data = apiTokenEventData({ ...stored, seenAt: new Date() });
    expect(data).toEqual({
      id: 3,
      tokenName: 'checkout',
      type: 'client',
      environment: 'development',
      project: 'default',
      projects: ['default'],
      alias: null,
      createdAt: '2026-06-01T12:00:00.000Z',
      expiresAt: null,
    });
    expect(apiTokenPlace(stored)).toEqual({
      environment: 'development',
      project: 'default',
      orderingKey: 'api-token:3',
    });
    expect(apiTokenPlace({ ...stored, projects: ['a', 'b'] }).project).toBeNull();
    expect(apiTokenPlace({ ...stored, projects: ['*'], environment: null })).toMatchObject({
      environment: null,
      project: null,
    });
  });
});

describe('permissions', () => {
  const actor = (...permissions: Permission[]): Actor => ({
    kind: 'user',
    id: 1,
    username: 'ann',
    grants: [{ permissions }],
  });

  it.each<[Permission[], string[]]>([
    [['ADMIN'], ['client', 'frontend', 'admin']],
    [['READ_CLIENT_API_TOKEN'], ['client']],
    [['READ_FRONTEND_API_TOKEN', 'CREATE_CLIENT_API_TOKEN'], ['frontend']],
    [['READ_PROJECT_API_TOKEN'], []],
  ])('%j reads %j', (permissions, kinds) => {
    expect(readableKinds(actor(...permissions))).toEqual(kinds);
  });

  it('are those of the kind', () => {
    expect(permissionFor('CREATE', 'client')).toBe('CREATE_CLIENT_API_TOKEN');
    expect(permissionFor('DELETE', 'frontend')).toBe('DELETE_FRONTEND_API_TOKEN');
    expect(permissionFor('UPDATE', 'admin')).toBe('ADMIN');
  });

  it.each<[string[], StoredApiToken['kind'], boolean]>([
    [['shop'], 'client', true],
    [['shop'], 'frontend', true],
    [['shop', 'default'], 'client', false],
    [['default'], 'client', false],
    [['*'], 'client', false],
    [['*'], 'admin', false],
  ])('a token of %j, %s, is deleted in its project: %s', (projects, kind, isOwn) => {
    const ask = () => requireOwnToken({ kind, environment: 'development', projects }, 'shop');
    if (isOwn) expect(ask).not.toThrow();
    else expect(ask).toThrow('"shop"');
  });
});

it.each([
  [1_999, 2_000, true],
  [2_000, 2_000, false],
  [2_001, 2_000, false],
])('with %i tokens and a limit of %i one more is allowed: %s', (count, limit, isAllowed) => {
  const ask = () => requireBelowApiTokenLimit(count, limit);
  if (isAllowed) expect(ask).not.toThrow();
  else expect(ask).toThrow(`at most ${limit}`);
});
