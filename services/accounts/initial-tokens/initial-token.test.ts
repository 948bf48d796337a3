import { makeToken, readToken } from '@yardarm/shared/auth';
import { ConfigError } from '@yardarm/shared/config';
import { describe, expect, it } from 'vitest';
import { initialTokensOf, loadAccountsConfig } from '../config.ts';
import { readInitialTokens } from './initial-token.ts';

const needed = { NATS_URL: 'nats://127.0.0.1:4222', DATABASE_URL: 'postgres://127.0.0.1/yardarm' };

const tokensOf = (settings: Record<string, string>) => initialTokensOf(loadAccountsConfig({ ...needed, ...settings }));

describe('initial tokens', () => {
  it('reads an admin token', () => {
    const { tokens, problems } = readInitialTokens('admin', ['*:*.open-sesame']);
    expect(problems).toEqual([]);
    expect(tokens).toEqual([
      {
        kind: 'admin',
        name: 'initial admin token 1',
        secret: '*:*.open-sesame',
        ...readToken('*:*.open-sesame'),
        environment: null,
        projects: ['*'],
        weakness: 'short',
      },
    ]);
  });

  it.each([
    ['unleash-insecure-admin-api-token', 'published'],
    ['insecure', 'published'],
    ['s'.repeat(19), 'short'],
    ['s'.repeat(20), null],
  ])('finds that the secret %s is weak: %s', (secret, weakness) => {
    expect(readInitialTokens('admin', [`*:*.${secret}`]).tokens).toMatchObject([{ weakness }]);
    expect(readInitialTokens('client', [`*:development.${secret}`]).tokens).toMatchObject([{ weakness }]);
  });

  it.each([
    ['*:development.secret', ['*'], 'development'],
    ['default:production.secret', ['default'], 'production'],
    ['my.shop~1:pre-prod_2.se.cr.et', ['my.shop~1'], 'pre-prod_2'],
    [makeToken('*:development.').token, ['*'], 'development'],
  ])('reads projects and environment of client token %#', (entry, projects, environment) => {
    const { tokens, problems } = readInitialTokens('client', [entry]);
    expect(problems).toEqual([]);
    expect(tokens).toMatchObject([{ kind: 'client', projects, environment, ...readToken(entry) }]);
  });

  it.each([
    ['admin', 'default:development.secret'],
    ['admin', '*:*.'],
    ['admin', '*:*'],
    ['admin', 'user:secret'],
    ['admin', '*:*.sec:ret'],
    ['client', '*:*.secret'],
    ['client', '[]:development.secret'],
    ['client', 'development.secret'],
    ['client', '*:development'],
    ['client', '*:.secret'],
    ['client', ':development.secret'],
    ['client', 'a/b:development.secret'],
    ['client', `*:development.${'s'.repeat(600)}`],
    ['client', '*:development.sécret'],
  ] as const)('refuses an entry of another shape as %s token: case %#', (kind, entry) => {
    expect(readInitialTokens(kind, [entry])).toMatchObject({
      tokens: [],
      problems: [expect.stringMatching(/^entry 1 /)],
    });
  });

  it('reads a frontend token as it reads a client token', () => {
    expect(readInitialTokens('frontend', ['default:production.secret']).tokens).toMatchObject([
      { kind: 'frontend', name: 'initial frontend token 1', projects: ['default'], environment: 'production' },
    ]);
  });

  it('names a token by its setting', () => {
    const tokens = tokensOf({
      INIT_CLIENT_API_TOKENS: '*:development.old',
      INIT_BACKEND_API_TOKENS: '*:development.new',
    });
    expect(tokens.map(({ kind, name }) => [kind, name])).toEqual([
      ['client', 'initial client token 1'],
      ['client', 'initial backend token 1'],
    ]);
  });

  it.each(['client', 'frontend'] as const)('explains why a %s token of several projects is refused', (kind) => {
    const { problems } = readInitialTokens(kind, ['[]:development.hunter2']);
    expect(problems).toEqual([expect.stringMatching(/^entry 1 is a token of several projects .*through the API$/)]);
    expect(problems[0]).not.toContain('hunter2');
  });

  it('refuses a generated token with a typing error', () => {
    const { token } = makeToken('*:development.');
    const mistyped = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
    expect(readInitialTokens('client', [mistyped]).problems).toEqual([expect.stringContaining('checksum')]);
  });

  it('reports every problem of every setting at once, by position and never with a secret', () => {
    const load = () =>
      loadAccountsConfig({
        ...needed,
        INIT_ADMIN_API_TOKENS: '*:*.fine, hunter2 ,user:hunter2',
        INIT_CLIENT_API_TOKENS: '*:*.hunter2',
      });
    expect(load).toThrow(ConfigError);
    try {
      load();
    } catch (error) {
      const { message } = error as Error;
      expect(message).toContain('INIT_ADMIN_API_TOKENS: entry 2');
      expect(message).toContain('INIT_ADMIN_API_TOKENS: entry 3');
      expect(message).toContain('INIT_CLIENT_API_TOKENS: entry 1');
      expect(message).not.toContain('hunter2');
    }
  });

  it('may be absent', () => {
    expect(loadAccountsConfig(needed)).toMatchObject({ INIT_ADMIN_API_TOKENS: [], INIT_CLIENT_API_TOKENS: [] });
    expect(tokensOf({})).toEqual([]);
  });
});
