// Tests what the deletion of an environment changes here, over a real bus and Postgres. The rig publishes the events of
// flags and answers for it.
import { randomUUIDv7 } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/accounts';
import type { PublishedEvent } from '@yardarm/shared/contracts/events';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsRig, refusal, startAccountsRig } from '../testing/accounts-rig.ts';

const types = ['api-token-deleted', 'role-updated'];

let rig: AccountsRig;
beforeAll(async () => {
  rig = await startAccountsRig();
});
afterAll(() => rig?.stop());

let number = 0;
const next = (what: string) => {
  number += 1;
  return `${what}-${number}`;
};

let clock = Date.UTC(2026, 1, 1);
/** An environment that flags knows from now on. A later one under the name was made later. */
function create(name = next('environment')): { name: string; createdAt: string } {
  clock += 1_000;
  const createdAt = new Date(clock).toISOString();
  rig.flags.environments.set(name, createdAt);
  return { name, createdAt };
}

type Environment = ReturnType<typeof create>;

const announceDeleted = ({ name, createdAt }: Environment, more: Partial<PublishedEvent> = {}) =>
  rig.announce({
    type: 'environment-deleted',
    environment: name,
    preData: { name, type: 'test', createdAt },
    ...more,
  });

/** Deletes an environment in flags and waits until accounts has heard of it. */
async function remove(environment: Environment, more?: Partial<PublishedEvent>): Promise<void> {
  rig.flags.environments.delete(environment.name);
  await announceDeleted(environment, more);
  await rig.service.processAll();
}

/** What flags asks for before it makes an environment again. */
const removeAccess = ({ name, createdAt }: Environment) =>
  rig.ask(contracts.removeAccessOfDeleted, { kind: 'environment', id: name, createdAt });

const createToken = (environment: string, type: 'client' | 'frontend' = 'client') =>
  rig.ask(contracts.createApiToken, { type, tokenName: next('sdk'), environment });

const permissionIn = (environment: string) => ({ name: 'UPDATE_FEATURE_ENVIRONMENT', environment });

const createRole = (...permissions: { name: string; environment?: string }[]) =>
  rig.ask(contracts.createRole, { name: next('role'), description: '', permissions });

const updateRole = ({ id, name }: { id: number; name: string }, ...permissions: { name: string }[]) =>
  rig.ask(contracts.updateRole, { roleId: id, name, permissions });

const permissionsOf = async ({ id }: { id: number }) =>
  (await rig.ask(contracts.getRole, { roleId: id })).permissions.map(({ name, environment }) => [name, environment]);

/** What the token reads; null for an unknown one. */
const readBy = async ({ secret }: { secret: string }) => {
  const token = await rig.resolved(secret);
  return token && { environment: token.environment, projects: token.projects };
};
const nothing = { environment: null, projects: [] };

const canRead = async (token: { secret: string }) => ((await readBy(token))?.environment ?? null) !== null;

/** The numbers of tokens and of permissions that name the environment. */
const accessTo = async (environment: string) => {
  const [count] = await rig.rows(
    `select
      (select count(*)::integer from accounts.tokens where environment = $1) as tokens,
      (select count(*)::integer from accounts.role_permissions where environment = $1) as permissions`,
    [environment],
  );
  return count;
};
const none = { tokens: 0, permissions: 0 };

describe('the deletion of an environment', () => {
  it('orphans its tokens, with events of deletion by its author and hints', async () => {
    const [environment, other] = [create(), create()];
    const [client, frontend] = [await createToken(environment.name), await createToken(environment.name, 'frontend')];
    const foreign = await createToken(other.name);
    rig.hints.tokenChanged.length = 0;
    const before = (await rig.events(...types)).length;
    await remove(environment, { createdBy: 'ann', createdByUsername: 'ann', createdByUserId: 12 });

    expect(await Promise.all([client, frontend, foreign].map(canRead))).toEqual([false, false, true]);
    const expected = {
      type: 'api-token-deleted',
      environment: environment.name,
      data: null,
      preData: { environment: environment.name },
      createdByUserId: 12,
    };
    expect((await rig.events(...types)).slice(before)).toMatchObject([expected, expected]);
    await eventually(() => expect(rig.hints.tokenChanged).toHaveLength(2));
  });

  it('removes the permissions of roles there, and no others', async () => {
    const [environment, other] = [create(), create()];
    const everywhere = { name: 'UPDATE_FEATURE_ENVIRONMENT' };
    const role = await createRole(permissionIn(environment.name), permissionIn(other.name), everywhere);
    const only = await createRole(permissionIn(environment.name));
    const foreign = await createRole(permissionIn(other.name));
    rig.hints.accessChanged.length = 0;
    const before = (await rig.events(...types)).length;
    await remove(environment);

    expect(await permissionsOf(role)).toEqual([
      ['UPDATE_FEATURE_ENVIRONMENT', other.name],
      ['UPDATE_FEATURE_ENVIRONMENT', null],
    ]);
    expect(await permissionsOf(only)).toEqual([]);
    expect(await permissionsOf(foreign)).toEqual([['UPDATE_FEATURE_ENVIRONMENT', other.name]]);
    expect((await rig.events(...types)).slice(before)).toMatchObject([
      {
        type: 'role-updated',
        data: { id: role.id, permissions: [permissionIn(other.name), everywhere] },
        preData: { permissions: expect.arrayContaining([permissionIn(environment.name)]) },
      },
      { type: 'role-updated', data: { id: only.id, permissions: [] } },
    ]);
    await eventually(() => expect(rig.hints.accessChanged).toEqual([null]));
  });

  it('keeps a deleted token of the settings deleted', async () => {
    const environment = create('from-settings');
    const secret = `default:${environment.name}.a-secret-of-the-settings`;
    const restart = async () => {
      const replica = await rig.start({ INIT_CLIENT_API_TOKENS: secret });
      await replica.processAll();
      await replica.drain();
      await replica.stop();
    };
    await restart();
    expect(await canRead({ secret })).toBe(true);
    await remove(environment);
    create(environment.name);
    await restart();
    expect(await readBy({ secret })).toEqual(nothing);
  });

  it('has one effect, however often and in whatever order its messages are delivered', async () => {
    const [first, eventId] = [create(), randomUUIDv7()];
    await createToken(first.name);
    await remove(first, { eventId });
    const second = create(first.name);
    await createToken(second.name);
    await remove(second);
    const third = create(first.name);
    const token = await createToken(third.name);
    const role = await createRole(permissionIn(third.name));
    const before = (await rig.events(...types)).length;
    await announceDeleted(second);
    await announceDeleted(first, { eventId });
    await announceDeleted(first);
    await rig.service.processAll();
    await removeAccess(second);
    expect(await canRead(token)).toBe(true);
    expect(await permissionsOf(role)).toHaveLength(1);
    expect(await rig.events(...types)).toHaveLength(before);
  });
});

describe('an environment that is made again under its name', () => {
  it('starts without access before accounts hears of the deletion, since flags asks first', async () => {
    const first = create();
    const old = await createToken(first.name);
    const oldRole = await createRole(permissionIn(first.name));
    rig.hints.tokenChanged.length = 0;
    await removeAccess(first);
    expect(await accessTo(first.name)).toEqual(none);
    expect(await readBy(old)).toEqual(nothing);
    await eventually(() => expect(rig.hints.tokenChanged).toHaveLength(1));

    const second = create(first.name);
    const token = await createToken(second.name);
    await updateRole(oldRole, permissionIn(second.name));
    const before = (await rig.events(...types)).length;
    await announceDeleted(first);
    await rig.service.processAll();
    expect(await canRead(token)).toBe(true);
    expect(await accessTo(second.name)).toEqual({ tokens: 1, permissions: 1 });
    expect(await rig.events(...types)).toHaveLength(before);
  });

  it('gets no access while there is access to the earlier one, as in a restored database', async () => {
    const first = create();
    await createToken(first.name);
    const second = create(first.name);
    for (const act of [() => createToken(second.name), () => createRole(permissionIn(second.name))])
      expect(await refusal(act())).toMatchObject({ code: 'bad-data', message: expect.stringContaining(first.name) });
    await announceDeleted(first);
    await rig.service.processAll();
    await createToken(second.name);
    await createRole(permissionIn(second.name));
    expect(await accessTo(second.name)).toEqual({ tokens: 1, permissions: 1 });
  });
});

describe('during the deletion of an environment', () => {
  /** The environment is deleted, and accounts hears of it, between the answer of flags and the write. */
  function whileDeleted(environment: Environment, act: () => Promise<unknown>) {
    rig.flags.beforeAnswer = async () => {
      rig.flags.beforeAnswer = async () => {};
      await remove(environment);
    };
    return refusal(act());
  }

  it.each<[string, (name: string) => Promise<unknown>]>([
    ['a token', (name) => createToken(name)],
    [
      'a token of a project',
      (environment) =>
        rig.ask(contracts.createProjectApiToken, {
          projectId: 'default',
          type: 'client',
          tokenName: 'sdk',
          environment,
        }),
    ],
    ['a role', (name) => createRole(permissionIn(name))],
    ['a permission of a role', async (name) => updateRole(await createRole(), permissionIn(name))],
  ])('%s for it cannot be written', async (_, act) => {
    const environment = create();
    const refused = await whileDeleted(environment, () => act(environment.name));
    expect(refused).toMatchObject({ code: 'bad-data', message: expect.stringContaining(environment.name) });
    create(environment.name);
    expect(await accessTo(environment.name)).toEqual(none);
  });

  it('no racing token, role or permission survives, and none ends in a deadlock', async () => {
    for (let round = 0; round < 5; round += 1) {
      const environment = create();
      const roles = await Promise.all(Array.from({ length: 4 }, () => createRole(permissionIn(environment.name))));
      const writes = roles.flatMap((role) => [
        createToken(environment.name),
        createRole(permissionIn(environment.name)),
        updateRole(role, permissionIn(environment.name), { name: 'UPDATE_FEATURE' }),
        updateRole(role, permissionIn(environment.name)),
      ]);
      const settled = Promise.allSettled(writes);
      await Promise.race(writes.map((each) => each.catch(() => {})));
      await Promise.all([remove(environment), removeAccess(environment)]);
      const failures = (await settled).flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
      expect(failures.filter((code) => code !== 'bad-data')).toEqual([]);
      expect(await accessTo(environment.name)).toEqual(none);
      create(environment.name);
      const made = (await settled).flatMap((result) =>
        result.status === 'fulfilled' && 'secret' in result.value ? [result.value] : [],
      );
      for (const token of made) expect(await readBy(token)).toEqual(nothing);
    }
    expect(
      await rig.rows('select deadlocks::integer from pg_stat_database where datname = current_database()'),
    ).toEqual([{ deadlocks: 0 }]);
  });
});
