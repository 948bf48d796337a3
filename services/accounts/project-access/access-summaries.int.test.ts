// Tests who owns projects and the numbers of members and tokens, over a real bus and Postgres. The rig knows the
// projects `default` and `other`.
import * as contracts from '@yardarm/shared/contracts/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccountsRig, startAccountsRig } from '../testing/accounts-rig.ts';
import { insertPerson } from '../testing/people.ts';

const [owner, member] = [4, 5];

let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig();
});
afterAll(() => rig?.stop());

const person = (username: string, rootRole = 3) => insertPerson(rig, { username, rootRole, password: null });
const summaries = async (projects: string[] | null) =>
  (await rig.ask(contracts.summarizeProjectAccess, { projects })).summaries;

it('counts each member once, also those of groups, and neither deleted users nor tokens for all projects', async () => {
  expect(await summaries(null)).toEqual([]);
  const [ann, ben, cat, dan] = [await person('ann'), await person('ben'), await person('cat'), await person('dan')];
  const users = [ann, ben, cat].map((id) => ({ user: { id } }));
  const group = await rig.ask(contracts.createGroup, { name: 'crew', users });
  const projectId = 'default';
  await rig.ask(contracts.addProjectAccess, { projectId, roles: [owner, member], users: [ann] });
  await rig.ask(contracts.addProjectAccess, { projectId, roles: [member], users: [dan] });
  await rig.ask(contracts.addProjectAccess, { projectId, roles: [owner], groups: [group.id] });
  await rig.ask(contracts.addProjectAccess, { projectId: 'other', roles: [member], users: [dan] });
  for (const projects of [['default'], ['default', 'other'], ['*']]) {
    const token = { tokenName: `sdk-${projects}`, type: 'client' as const, environment: 'development', projects };
    await rig.ask(contracts.createApiToken, token);
  }
  await rig.rows("update accounts.project_user_roles set added_at = now() - interval '31 days' where user_id = $1", [
    dan,
  ]);
  const ofDefault = {
    ...{ project: 'default', members: 4, directMembers: 2, addedMembers: 1, apiTokens: 2 },
    owners: [
      { ownerType: 'user', name: 'ann', email: null, imageUrl: expect.any(String) },
      { ownerType: 'group', name: 'crew' },
    ],
  };
  const ofOther = { project: 'other', owners: [], members: 1, directMembers: 1, addedMembers: 0, apiTokens: 1 };
  expect(await summaries(null)).toEqual([ofDefault, ofOther]);
  expect(await summaries(['other', 'nowhere'])).toEqual([ofOther]);
  await rig.ask(contracts.deleteUser, { userId: ben });
  await rig.ask(contracts.deleteUser, { userId: dan });
  expect(await summaries(['default'])).toEqual([{ ...ofDefault, members: 2, directMembers: 1 }]);
});

it('names the people with the root role Admin', async () => {
  const root = await person('root', 1);
  const { admins } = await rig.ask(contracts.listAdmins, {});
  expect(admins.map(({ id }) => id)).toContain(root);
  expect(admins.map(({ username }) => username)).not.toContain('ann');
});

it('summarizes ten thousand projects within the time that a statement may take', async () => {
  const ann = await person('owner-of-many');
  await rig.rows(
    `insert into accounts.project_user_roles (project, user_id, role_id)
    select 'many-' || i, $1, $2 from generate_series(1, 10000) i`,
    [ann, owner],
  );
  const ofMany = (await summaries(null)).filter(({ project }) => project.startsWith('many-'));
  expect(ofMany).toHaveLength(10_000);
  expect(ofMany.every(({ owners, members }) => owners.length === 1 && members === 1)).toBe(true);
});
