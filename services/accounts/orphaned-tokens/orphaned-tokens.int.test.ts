// Tests the tokens of deleted environments over a real bus and Postgres: what they read, who sees and deletes them, and
// when they end.
import { readToken } from '@yardarm/shared/auth';
import type { Actor, Permission } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccountsRig, refusal, startAccountsRig } from '../testing/accounts-rig.ts';

let rig: AccountsRig;
beforeAll(async () => {
  rig = await startAccountsRig();
});
afterAll(() => rig?.stop());

const createdAt = '2026-02-01T00:00:00.000Z';
let number = 0;

/** An environment that flags knows from now on. */
function createEnvironment(): string {
  number += 1;
  const name = `environment-${number}`;
  rig.flags.environments.set(name, createdAt);
  return name;
}

async function removeEnvironment(name: string): Promise<void> {
  rig.flags.environments.delete(name);
  await rig.ask(contracts.removeAccessOfDeleted, { kind: 'environment', id: name, createdAt });
}

type TokenRequest = Partial<{ type: 'client' | 'frontend'; projects: string[]; expiresAt: string }>;

async function createToken(environment: string, request: TokenRequest = {}) {
  return rig.ask(contracts.createApiToken, { type: 'client', tokenName: 'sdk', environment, ...request });
}

/** A token whose environment was deleted. */
async function createOrphan(request?: TokenRequest) {
  const environment = createEnvironment();
  const token = await createToken(environment, request);
  await removeEnvironment(environment);
  rig.hints.tokenChanged.length = 0;
  return token;
}

const holder = (...permissions: Permission[]): Actor => ({
  ...{ kind: 'user', id: 1, username: 'ann' },
  grants: [{ permissions }],
});

const listed = async () => (await rig.ask(contracts.listApiTokens, {})).tokens.map(({ secret }) => secret);
const visiblePart = (secret: string) => secret.slice(0, secret.lastIndexOf('_'));

it('is the same token as before, without environment and projects, also when the environment is made again', async () => {
  const environment = createEnvironment();
  const expiresAt = '2999-01-01T00:00:00.000Z';
  const token = await createToken(environment, { type: 'frontend', projects: ['default', 'other'], expiresAt });
  const before = await rig.resolved(token.secret);
  expect(before).toMatchObject({ environment, projects: ['default', 'other'], expiresAt });
  await removeEnvironment(environment);
  const orphaned = { ...before, environment: null, projects: [] };
  expect(await rig.resolved(token.secret)).toEqual(orphaned);

  rig.flags.environments.set(environment, '2026-03-01T00:00:00.000Z');
  const fresh = await createToken(environment);
  expect(await rig.resolved(token.secret)).toEqual(orphaned);
  expect(await rig.resolved(fresh.secret)).toMatchObject({ environment, projects: ['*'] });
});

it('is in no list and no count, and cannot be changed', async () => {
  const [token, other] = [await createOrphan({ projects: ['default'] }), await createToken('development')];
  const all = await listed();
  expect(all).toContain(visiblePart(other.secret));
  expect(all).not.toContain(visiblePart(token.secret));
  const ofProject = await rig.ask(contracts.listProjectApiTokens, { projectId: 'default' });
  expect(ofProject).toEqual({ tokens: [] });
  const { counts } = await rig.ask(contracts.countApiTokens, {});
  expect(counts).toHaveProperty(other.environment);
  expect(counts).not.toHaveProperty(token.environment);
  await rig.ask(contracts.updateApiToken, { token: token.secret, expiresAt: '2999-01-01T00:00:00.000Z' });
  expect(await rig.resolved(token.secret)).toMatchObject({ expiresAt: null });
});

it.each([
  ['by its secret', (secret: string) => secret],
  ['by its selector', visiblePart],
])('an admin deletes it %s, with a hint and without a second event', async (_, nameOf) => {
  const token = await createOrphan();
  const before = (await rig.events('api-token-deleted')).length;
  await rig.ask(contracts.deleteApiToken, { token: nameOf(token.secret) });
  expect(await rig.resolved(token.secret)).toBeNull();
  await eventually(() => expect(rig.hints.tokenChanged).toEqual([readToken(token.secret)!.selector]));
  expect(await rig.events('api-token-deleted')).toHaveLength(before);
  // A repetition finds nothing, as with every token.
  await rig.ask(contracts.deleteApiToken, { token: nameOf(token.secret) });
});

it('only a caller who may delete its kind deletes it', async () => {
  const { secret: token } = await createOrphan({ type: 'frontend' });
  const refused = await refusal(rig.ask(contracts.deleteApiToken, { token }, holder('DELETE_CLIENT_API_TOKEN')));
  expect(refused).toMatchObject({ code: 'no-access' });
  expect(await rig.resolved(token)).not.toBeNull();
  await rig.ask(contracts.deleteApiToken, { token }, holder('DELETE_FRONTEND_API_TOKEN'));
  expect(await rig.resolved(token)).toBeNull();
});

it('a project deletes its own and no other', async () => {
  const { secret: token } = await createOrphan({ projects: ['default'] });
  const deletion = (projectId: string) => rig.ask(contracts.deleteProjectApiToken, { projectId, token });
  expect(await refusal(deletion('other'))).toMatchObject({ code: 'bad-data' });
  expect(await rig.resolved(token)).not.toBeNull();
  await deletion('default');
  expect(await rig.resolved(token)).toBeNull();
  expect(await refusal(deletion('default'))).toMatchObject({ code: 'not-found' });
});

it('a deletion of the token during that of its environment leaves neither', async () => {
  for (let round = 0; round < 10; round += 1) {
    const environment = createEnvironment();
    const tokens = await Promise.all(Array.from({ length: 5 }, () => createToken(environment)));
    const before = (await rig.events('api-token-deleted')).length;
    await Promise.all([
      removeEnvironment(environment),
      ...tokens.map(({ secret }) => rig.ask(contracts.deleteApiToken, { token: secret })),
    ]);
    for (const { secret } of tokens) expect(await rig.resolved(secret)).toBeNull();
    expect(await rig.events('api-token-deleted')).toHaveLength(before + tokens.length);
  }
});

it('is deleted after 30 days and at its expiry, and not before', async () => {
  const [kept, old, expired] = [await createOrphan(), await createOrphan(), await createOrphan()];
  const age = (secret: string, assignment: string) =>
    rig.rows(`update accounts.orphaned_tokens set ${assignment} where selector = $1`, [readToken(secret)!.selector]);
  await age(kept.secret, `orphaned_at = now() - interval '29 days', expires_at = now() + interval '1 hour'`);
  await age(old.secret, `orphaned_at = now() - interval '31 days'`);
  await age(expired.secret, `expires_at = now() - interval '1 second'`);
  await rig.service.processAll();
  const found = await Promise.all([kept, old, expired].map(({ secret }) => rig.resolved(secret)));
  expect(found.map((token) => token !== null)).toEqual([true, false, false]);
});
