// Tests over a real bus and Postgres the events of a deletion: everything deleted with the account, in order.
import { readToken } from '@yardarm/shared/auth';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccountsRig, nextYear, startAccountsRig } from '../testing/accounts-rig.ts';

let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig();
});
afterAll(() => rig?.stop());

const createServiceAccount = async (username: string) =>
  (await rig.ask(contracts.createServiceAccount, { username, name: username, rootRole: 3 })).id;
const createPerson = async (username: string) =>
  (await rig.ask(contracts.createUser, { username, rootRole: 3 })).user.id;

const kinds = {
  person: {
    create: () => createPerson('leaver'),
    createToken: (id: number, description: string) => {
      const self: Actor = { kind: 'user', id, username: 'leaver', grants: [] };
      return rig.ask(contracts.createPersonalToken, { description, expiresAt: nextYear }, self);
    },
    remove: (userId: number) => rig.ask(contracts.deleteUser, { userId }),
    deleted: 'user-deleted',
  },
  'service account': {
    create: () => createServiceAccount('leaving-bot'),
    createToken: (serviceAccountId: number, description: string) =>
      rig.ask(contracts.createServiceAccountToken, { serviceAccountId, description, expiresAt: nextYear }),
    remove: (serviceAccountId: number) => rig.ask(contracts.deleteServiceAccount, { serviceAccountId }),
    deleted: 'service-account-deleted',
  },
};

/** The events of what was deleted with this account, in order. */
async function deletionsOf(id: number) {
  const events = await rig.events(
    ...['pat-deleted', 'group-user-removed', 'project-access-user-roles-deleted'],
    ...['user-deleted', 'service-account-deleted'],
  );
  return events
    .filter(({ preData }) => (preData?.userId ?? preData?.id) === id)
    .map(({ type, project, data, preData }) => ({ type, project, data, preData }));
}

it.each(['person', 'service account'] as const)(
  'a %s is deleted with tokens, memberships and roles in projects, with an event for each and its own last',
  async (kind) => {
    const { create, createToken, remove, deleted } = kinds[kind];
    const id = await create();
    const { secret: one, seenAt: _, ...first } = await createToken(id, 'one');
    const { secret: two, seenAt: __, ...second } = await createToken(id, 'two');
    // A session has no event.
    await rig.rows(
      `insert into accounts.tokens (kind, name, selector, hash, user_id, expires_at)
       values ('session', $1, $1, 'h', $2, now() + interval '1 day')`,
      [`session-${id}`, id],
    );
    const groups = [`${kind} crew`, `${kind} watch`].map((name) =>
      rig.ask(contracts.createGroup, { name, users: [{ user: { id } }] }),
    );
    const groupIds = (await Promise.all(groups)).map((group) => group.id).sort((a, b) => a - b);
    await rig.ask(contracts.setUserProjectRoles, { projectId: 'default', userId: id, roles: [4, 5] });
    await rig.ask(contracts.setUserProjectRoles, { projectId: 'other', userId: id, roles: [5] });

    await remove(id);

    const common = { data: null, project: null };
    expect(await deletionsOf(id)).toEqual([
      { ...common, type: 'pat-deleted', preData: first },
      { ...common, type: 'pat-deleted', preData: second },
      ...groupIds.map((groupId) => ({ ...common, type: 'group-user-removed', preData: { groupId, userId: id } })),
      {
        ...{ data: null, project: 'default', type: 'project-access-user-roles-deleted' },
        preData: { userId: id, roles: [4, 5] },
      },
      {
        ...{ data: null, project: 'other', type: 'project-access-user-roles-deleted' },
        preData: { userId: id, roles: [5] },
      },
      { ...common, type: deleted, preData: expect.objectContaining({ id, rootRole: 3 }) },
    ]);
    const selectors = [readToken(one!)!.selector, readToken(two!)!.selector, `session-${id}`];
    await eventually(() => expect(rig.hints.tokenChanged).toEqual(expect.arrayContaining(selectors)));
  },
);

it('a deletion concurrent with new memberships and roles leaves none of them, with an event for each', async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = await createServiceAccount(`contended-${round}`);
    const { id: groupId } = await rig.ask(contracts.createGroup, { name: `Contended ${round}` });
    const users = [{ user: { id } }];
    await Promise.allSettled([
      ...[0, 1, 2].map(() => rig.ask(contracts.updateGroup, { groupId, name: `Contended ${round}`, users })),
      ...[4, 5].map((role) =>
        rig.ask(contracts.addProjectAccess, { projectId: 'default', roles: [role], users: [id], groups: [] }),
      ),
      rig.ask(contracts.deleteServiceAccount, { serviceAccountId: id }),
      ...[0, 1, 2].map(() => rig.ask(contracts.setUserProjectRoles, { projectId: 'default', userId: id, roles: [4] })),
    ]);
    for (const table of ['group_users', 'project_user_roles']) {
      expect(await rig.rows(`select 1 from accounts.${table} where user_id = $1`, [id])).toEqual([]);
    }
    const members = (await rig.events('group-user-added', 'group-user-removed'))
      .filter(({ data, preData }) => (data ?? preData)?.groupId === groupId)
      .map(({ type }) => type);
    expect([[], ['group-user-added', 'group-user-removed']]).toContainEqual(members);
    const types = ['added', 'user-roles-updated', 'user-roles-deleted'].map((kind) => `project-access-${kind}`);
    const access = (await rig.events(...types)).filter(
      ({ data, preData }) => (data?.users as number[] | undefined)?.includes(id) || (data ?? preData)?.userId === id,
    );
    expect(['project-access-user-roles-deleted', undefined]).toContain(access.at(-1)?.type);
  }
});
