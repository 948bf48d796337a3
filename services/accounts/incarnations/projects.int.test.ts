// Tests what creations and deletions of projects change here, over a real bus and Postgres. The rig publishes the
// events of flags and answers for it.
import { randomUUIDv7 } from 'node:crypto';
import { systemUserId } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import type { PublishedEvent } from '@yardarm/shared/contracts/events';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsRig, refusal, startAccountsRig } from '../testing/accounts-rig.ts';

const owner = 4;
const member = 5;
const tokenEvents = ['api-token-updated', 'api-token-deleted'];
const accessEvents = ['added', 'user-roles-deleted', 'group-roles-deleted'].map((kind) => `project-access-${kind}`);

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

async function createAccount(): Promise<number> {
  const username = next('holder');
  return (await rig.ask(contracts.createServiceAccount, { username, name: username, rootRole: 3 })).id;
}

const createGroup = async (...ids: number[]) =>
  (await rig.ask(contracts.createGroup, { name: next('group'), users: ids.map((id) => ({ user: { id } })) })).id;

const createToken = (...projects: string[]) =>
  rig.ask(contracts.createApiToken, { type: 'client', tokenName: next('sdk'), environment: 'development', projects });

const grant = (projectId: string, users: number[], groups: number[] = []) =>
  rig.ask(contracts.addProjectAccess, { projectId, roles: [member], users, groups });

let clock = Date.UTC(2026, 1, 1);
/** A project that flags knows from now on. A later one under the id was created later. */
function create(id = next('project')): { id: string; createdAt: string } {
  clock += 1_000;
  const createdAt = new Date(clock).toISOString();
  rig.flags.projects.set(id, createdAt);
  return { id, createdAt };
}

type Project = ReturnType<typeof create>;

const announceCreated = (project: Project, by: number | null = -42, more: Partial<PublishedEvent> = {}) =>
  rig.announce({ type: 'project-created', project: project.id, data: { ...project }, createdByUserId: by, ...more });

const announceDeleted = (project: Project, more: Partial<PublishedEvent> = {}) =>
  rig.announce({ type: 'project-deleted', project: project.id, preData: { ...project }, ...more });

/** What flags asks for before it makes a project again. */
const removeAccess = (project: Project) => rig.ask(contracts.removeAccessOfDeleted, { kind: 'project', ...project });

/** Deletes a project in flags and waits until accounts has heard of it. */
async function remove(project: Project): Promise<void> {
  rig.flags.projects.delete(project.id);
  await announceDeleted(project);
  await rig.service.processAll();
}

const rolesIn = (id: string) =>
  rig.rows<{ holder: number; role: number }>(
    `select user_id as holder, role_id as role from accounts.project_user_roles where project = $1
      union all select -group_id, role_id from accounts.project_group_roles where project = $1
      order by holder, role`,
    [id],
  );

const projectsOf = async ({ secret }: { secret: string }) => (await rig.resolved(secret))?.projects ?? null;

const tokensOf = (id: string) => rig.rows('select id from accounts.tokens where projects @> array[$1]::text[]', [id]);

const eventsOf = async (id: string, ...types: string[]) =>
  (await rig.events(...types)).filter(({ project }) => project === id);

describe('the creator of a project', () => {
  it('becomes its Owner, with an event and a hint', async () => {
    const creator = await createAccount();
    const project = create();
    await announceCreated(project, creator, { createdBy: 'ann@example.com', createdByUsername: 'ann' });
    await rig.service.processAll();

    expect(await rolesIn(project.id)).toEqual([{ holder: creator, role: owner }]);
    expect(await eventsOf(project.id, ...accessEvents)).toMatchObject([
      {
        type: 'project-access-added',
        data: { roles: [owner], users: [creator], groups: [] },
        createdBy: 'ann@example.com',
        createdByUserId: creator,
      },
    ]);
    await eventually(() => expect(rig.hints.accessChanged).toContain(creator));
  });

  it.each([
    ['an admin token', -42],
    ['the system', systemUserId],
    ['nobody', null],
    ['a user who does not exist', 999_999],
  ])('is no Owner when it is %s', async (_, creator) => {
    const project = create();
    await announceCreated(project, creator);
    await rig.service.processAll();
    expect(await rolesIn(project.id)).toEqual([]);
    expect(await eventsOf(project.id, ...accessEvents)).toEqual([]);
  });

  it('becomes its Owner once, however often the event is delivered', async () => {
    const creator = await createAccount();
    const project = create();
    const eventId = randomUUIDv7();
    await announceCreated(project, creator, { eventId });
    await rig.service.processAll();
    await rig.ask(contracts.setUserProjectRoles, { projectId: project.id, userId: creator, roles: [] });
    await announceCreated(project, creator, { eventId });
    await rig.service.processAll();
    expect(await rolesIn(project.id)).toEqual([]);
  });

  it('is no Owner of a project that is already deleted', async () => {
    const creator = await createAccount();
    const project = create();
    await remove(project);
    await announceCreated(project, creator);
    await rig.service.processAll();
    expect(await rolesIn(project.id)).toEqual([]);
  });
});

describe('the deletion of a project', () => {
  it('removes the roles of users and groups, with events by its author and hints', async () => {
    const [user, inGroup] = [await createAccount(), await createAccount()];
    const group = await createGroup(inGroup);
    const [project, other] = [create(), create()];
    await grant(project.id, [user], [group]);
    await grant(other.id, [user], [group]);
    rig.flags.projects.delete(project.id);
    rig.hints.accessChanged.length = 0;
    await announceDeleted(project, { createdBy: 'ann', createdByUsername: 'ann', createdByUserId: 12 });
    await rig.service.processAll();

    expect(await rolesIn(project.id)).toEqual([]);
    expect(await rolesIn(other.id)).toHaveLength(2);
    expect((await eventsOf(project.id, ...accessEvents)).slice(1)).toMatchObject([
      { type: 'project-access-user-roles-deleted', preData: { userId: user, roles: [member] }, createdByUserId: 12 },
      { type: 'project-access-group-roles-deleted', preData: { groupId: group, roles: [member] }, createdBy: 'ann' },
    ]);
    await eventually(() => expect(rig.hints.accessChanged).toEqual(expect.arrayContaining([user, inGroup])));
  });

  it('removes the project from its tokens, and deletes those of no other project', async () => {
    const [project, other] = [create(), create()];
    const alone = await createToken(project.id);
    const shared = await createToken(project.id, other.id);
    const foreign = await createToken(other.id);
    const every = await createToken('*');
    rig.hints.tokenChanged.length = 0;
    const before = (await rig.events(...tokenEvents)).length;
    await remove(project);

    expect(await projectsOf(alone)).toBeNull();
    expect(await projectsOf(shared)).toEqual([other.id]);
    expect(await projectsOf(foreign)).toEqual([other.id]);
    expect(await projectsOf(every)).toEqual(['*']);
    expect((await rig.events(...tokenEvents)).slice(before)).toMatchObject([
      { type: 'api-token-deleted', project: project.id, data: null, preData: { projects: [project.id] } },
      {
        type: 'api-token-updated',
        data: { projects: [other.id] },
        preData: { projects: [project.id, other.id] },
      },
    ]);
    await eventually(() => expect(rig.hints.tokenChanged).toHaveLength(2));

    await remove(other);
    expect(await projectsOf(shared)).toBeNull();
    expect(await projectsOf(every)).toEqual(['*']);
  });

  it('leaves no SDK token without a project, and none with * beside others', async () => {
    const { secret } = await createToken('default');
    await expect(rig.rows("update accounts.tokens set projects = '{}' where kind = 'client'")).rejects.toThrow(
      'tokens_projects_check',
    );
    await expect(rig.rows("update accounts.tokens set projects = '{*,default}' where kind = 'client'")).rejects.toThrow(
      'tokens_every_project_check',
    );
    expect(await projectsOf({ secret })).toEqual(['default']);
  });

  it('keeps a deleted token of the settings deleted', async () => {
    const project = create('from-settings');
    const secret = `${project.id}:development.a-secret-of-the-settings`;
    const restart = async () => {
      const replica = await rig.start({ INIT_CLIENT_API_TOKENS: secret });
      await replica.processAll();
      await replica.drain();
      await replica.stop();
    };
    await restart();
    expect(await projectsOf({ secret })).toEqual([project.id]);
    await remove(project);
    await restart();
    expect(await projectsOf({ secret })).toBeNull();
  });
});

describe('a project that is created again under its id', () => {
  it('starts without any access but that of its creator', async () => {
    const [user, creator] = [await createAccount(), await createAccount()];
    const first = create();
    await grant(first.id, [user]);
    const token = await createToken(first.id);
    await remove(first);
    const second = create(first.id);
    await announceCreated(second, creator);
    await rig.service.processAll();
    expect(await rolesIn(first.id)).toEqual([{ holder: creator, role: owner }]);
    expect(await projectsOf(token)).toBeNull();
  });

  it('starts so also when accounts hears of the creation before the deletion', async () => {
    const [user, creator] = [await createAccount(), await createAccount()];
    const first = create();
    await grant(first.id, [user]);
    const token = await createToken(first.id);
    const second = create(first.id);
    await announceCreated(second, creator);
    await rig.service.processAll();
    expect(await rolesIn(first.id)).toEqual([{ holder: creator, role: owner }]);
    expect(await projectsOf(token)).toBeNull();
    await announceDeleted(first);
    await rig.service.processAll();
    expect(await rolesIn(first.id)).toEqual([{ holder: creator, role: owner }]);
  });

  it('starts so also when accounts hears of neither, since flags asks before it makes the project', async () => {
    const [user, later] = [await createAccount(), await createAccount()];
    const first = create();
    await grant(first.id, [user]);
    const shared = await createToken(first.id, 'other');
    await removeAccess(first);
    expect(await rolesIn(first.id)).toEqual([]);
    expect(await projectsOf(shared)).toEqual(['other']);
    const second = create(first.id);
    await grant(second.id, [later]);
    const token = await createToken(second.id);
    const before = (await rig.events()).length;
    await removeAccess(first);
    await announceDeleted(first);
    await announceCreated(second);
    await rig.service.processAll();
    expect(await rolesIn(first.id)).toEqual([{ holder: later, role: member }]);
    expect(await projectsOf(token)).toEqual([second.id]);
    expect(await rig.events()).toHaveLength(before);
  });

  it('gets no access while there is access to the earlier one, as in a restored database', async () => {
    const [user, later] = [await createAccount(), await createAccount()];
    const first = create();
    await grant(first.id, [user]);
    const second = create(first.id);
    expect(await refusal(grant(second.id, [later]))).toMatchObject({ code: 'not-found' });
    expect(await refusal(createToken(second.id))).toMatchObject({ code: 'bad-data' });
    await announceDeleted(first);
    await rig.service.processAll();
    await grant(second.id, [later]);
    expect(await rolesIn(first.id)).toEqual([{ holder: later, role: member }]);
  });
});

describe('during the deletion of a project', () => {
  /** The project is deleted, and accounts hears of it, between the answer of flags and the grant. */
  async function whileDeleted<T>(project: Project, act: () => Promise<T>): Promise<{ code: string; message: string }> {
    rig.flags.beforeAnswer = async () => {
      rig.flags.beforeAnswer = async () => {};
      await remove(project);
    };
    return refusal(act());
  }

  it.each<[string, 'not-found' | 'bad-data', (id: string, user: number) => Promise<unknown>]>([
    ['roles', 'not-found', (id, user) => grant(id, [user])],
    [
      'the roles of a user',
      'not-found',
      (projectId, userId) => rig.ask(contracts.setUserProjectRoles, { projectId, userId, roles: [member] }),
    ],
    [
      'all access',
      'not-found',
      (projectId, user) =>
        rig.ask(contracts.setProjectAccess, { projectId, roles: [{ id: member, users: [user], groups: [] }] }),
    ],
    ['a token', 'bad-data', (id) => createToken('default', id)],
    [
      'a token of the project',
      'not-found',
      (projectId) =>
        rig.ask(contracts.createProjectApiToken, {
          projectId,
          type: 'client',
          tokenName: 'sdk',
          environment: 'production',
        }),
    ],
  ])('%s cannot be granted', async (_, code, act) => {
    const project = create();
    const user = await createAccount();
    const refused = await whileDeleted(project, () => act(project.id, user));
    expect(refused).toMatchObject({ code, message: expect.stringContaining(project.id) });
    expect(await rolesIn(project.id)).toEqual([]);
    expect(await tokensOf(project.id)).toEqual([]);
  });

  it('no racing grant survives', async () => {
    for (let round = 0; round < 5; round += 1) {
      const project = create();
      const users = await Promise.all(Array.from({ length: 8 }, createAccount));
      const grants = users.flatMap((user) => [grant(project.id, [user]), createToken(project.id, 'default')]);
      const settled = Promise.allSettled(grants);
      await Promise.race(grants.map((each) => each.catch(() => {})));
      await remove(project);
      const failures = (await settled).flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
      await rig.service.processAll();

      expect(failures.filter((code) => code !== 'not-found' && code !== 'bad-data')).toEqual([]);
      expect(await rolesIn(project.id)).toEqual([]);
      expect(await tokensOf(project.id)).toEqual([]);
    }
  });
});
