// Proves which actor signals gets for a service account.
import * as contracts from '@yardarm/shared/contracts/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccountsRig, nextYear, startAccountsRig } from '../testing/accounts-rig.ts';

let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig();
});
afterAll(() => rig?.stop());

const create = (username: string) =>
  rig.ask(contracts.createServiceAccount, { username, name: `Account ${username}`, rootRole: 3 });

const resolved = async (serviceAccountId: number) =>
  (await rig.ask(contracts.resolveActor, { serviceAccountId }, null)).actor;

it('the actor of a service account has what its roles permit now, in all projects and through groups, and needs no token', async () => {
  const { id } = await create('actor');
  expect(await resolved(id)).toEqual({
    ...{ kind: 'service-account', id, username: 'actor', name: 'Account actor' },
    grants: [],
  });
  await rig.rows(
    `with made as (
       insert into accounts.roles (type, name, description) values ('custom', 'Switcher', '') returning id
     ), permitted as (
       insert into accounts.role_permissions (role_id, permission, environment)
       select id, 'UPDATE_FEATURE_ENVIRONMENT', 'production' from made
     ), grouped as (
       insert into accounts.groups (name) values ('Switchers') returning id
     ), member as (
       insert into accounts.group_users (group_id, user_id) select id, $1 from grouped
     )
     insert into accounts.project_group_roles (group_id, role_id, project)
     select grouped.id, made.id, 'default' from grouped, made`,
    [id],
  );
  const grant = { permissions: ['UPDATE_FEATURE_ENVIRONMENT'], projects: ['default'], environment: 'production' };
  expect((await resolved(id))?.grants).toContainEqual(grant);
  const token = { serviceAccountId: id, description: 'compared', expiresAt: nextYear };
  const { secret } = await rig.ask(contracts.createServiceAccountToken, token);
  expect(await resolved(id)).toEqual((await rig.resolved(secret!))?.actor);

  await rig.rows('delete from accounts.project_group_roles');
  expect((await resolved(id))?.grants).not.toContainEqual(grant);
  await rig.ask(contracts.updateServiceAccount, { serviceAccountId: id, name: 'Renamed', rootRole: 1 });
  expect(await resolved(id)).toMatchObject({ name: 'Renamed', grants: [{ permissions: ['ADMIN'] }] });
});

it('there is no actor for a deleted account, a person, and a number that no account has', async () => {
  const { id } = await create('short-lived');
  await rig.ask(contracts.deleteServiceAccount, { serviceAccountId: id });
  const { user } = await rig.ask(contracts.createUser, { username: 'person', rootRole: 1 });
  for (const none of [id, user.id, 0, -42, 987_654, 3_000_000_000]) expect(await resolved(none)).toBeNull();
});
