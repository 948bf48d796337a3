// Proves the answers, events and limits of projects over a real bus and Postgres.
import { randomUUID } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const ann: Actor = { kind: 'user', id: 7, username: 'ann', name: 'Ann', grants: [{ permissions: ['ADMIN'] }] };
const viewer: Actor = { kind: 'user', id: 8, username: 'viewer', grants: [] };
const maxProjects = 40;

let rig: OwnFlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig({ UNLEASH_PROJECTS_LIMIT: String(maxProjects) });
});
afterAll(() => rig?.stop());

type Settings = Omit<Parameters<typeof rig.ask<typeof contracts.createProject>>[1], 'name'>;

async function newProject(settings: Settings = {}): Promise<string> {
  const id = `p-${randomUUID().slice(0, 8)}`;
  await rig.ask(contracts.createProject, { id, name: `Project ${id}`, ...settings }, ann);
  return id;
}

const newFlag = (projectId: string, name = `flag-${randomUUID()}`) =>
  rig.ask(contracts.createFeature, { projectId, name }, ann);
const archive = (projectId: string, featureName: string) =>
  rig.ask(contracts.patchFeature, { projectId, featureName, operations: [replace('archived', true)] }, ann);
const replace = (name: string, value: unknown) => ({ op: 'replace' as const, path: `/${name}`, value });

async function eventsOf(project: string) {
  const events = (await rig.events()).filter((event) => event.project === project && event.featureName === null);
  return events.map(({ type, data, preData, createdByUserId }) => ({ type, data, preData, createdByUserId }));
}

async function revisionsOf(project: string): Promise<Record<string, number | undefined>> {
  const { environments } = await rig.ask(contracts.listRevisions, {});
  return Object.fromEntries(Object.entries(environments).map(([name, revisions]) => [name, revisions[project]]));
}

async function overview(projectId: string, actor = ann) {
  return rig.ask(contracts.getProjectOverview, { projectId }, actor);
}

async function summary(id: string, actor = ann, archived = false) {
  return (await rig.ask(contracts.listProjects, { ids: [id], archived }, actor)).projects[0];
}

describe('creating a project', () => {
  it('returns it, has every environment that is on with a counter, and tells who made it', async () => {
    const id = `new-${randomUUID()}`;
    const created = await rig.ask(contracts.createProject, { id, name: 'New', description: 'd' }, ann);
    expect(created).toEqual({
      ...{ id, name: 'New', description: 'd', featureLimit: null, mode: 'open', defaultStickiness: 'default' },
      ...{ environments: ['development', 'production'], changeRequestEnvironments: [] },
    });
    // Gateways of the release before accept no answer without a description. The gateway leaves the null out.
    expect(await rig.ask(contracts.createProject, { name: `Bare ${id}` }, ann)).toMatchObject({ description: null });
    expect(await revisionsOf(id)).toEqual({ development: 0, production: 0 });
    const data = {
      ...{ id, name: 'New', description: 'd', defaultStickiness: 'default', mode: 'open' },
      ...{ changeRequestEnvironments: [], featureLimit: null, featureNaming: null, linkTemplates: [] },
      createdAt: expect.any(String),
    };
    expect(await eventsOf(id)).toEqual([{ type: 'project-created', data, preData: null, createdByUserId: 7 }]);
    expect(
      (await rig.ask(contracts.getFeature, { projectId: id, featureName: (await newFlag(id)).name })).project,
    ).toBe(id);
  });

  it('has only the environments that are asked for', async () => {
    const id = await newProject({ environments: ['production'] });
    expect((await overview(id)).environments).toEqual([{ environment: 'production' }]);
    expect((await newFlag(id)).environments.map(({ name }) => name)).toEqual(['production']);
  });

  it('makes an id from the name, and another one for the same name', async () => {
    const name = `Web Shop ${randomUUID()}`;
    const ids = await Promise.all([1, 2].map(() => rig.ask(contracts.createProject, { name }, ann)));
    const [first, second] = ids.map(({ id }) => id).sort((one, other) => one.length - other.length);
    expect(first).toBe(name.toLowerCase().replaceAll(' ', '-'));
    expect(second).toMatch(new RegExp(`^${first}-[0-9a-f]{12}$`));
  });

  it('refuses an id that is taken, also by an archived project, and one of two creators', async () => {
    const id = await newProject();
    await rig.ask(contracts.archiveProject, { projectId: id }, ann);
    const taken = { code: 'name-exists', message: expect.stringContaining(id) };
    await expect(newProject({ id })).rejects.toMatchObject(taken);
    await expect(rig.ask(contracts.validateProject, { id }, ann)).rejects.toMatchObject(taken);
    const raced = `raced-${randomUUID()}`;
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => newProject({ id: raced })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await eventsOf(raced)).toHaveLength(1);
  });

  it.each([
    [{ mode: 'private' as 'open' }, '.mode'],
    [{ id: 'a b' }, '.id'],
    [{ id: '..' }, '.id'],
    [{ id: '__proto__' }, '.id'],
    [{ environments: ['nowhere'] }, '"nowhere"'],
    [{ changeRequestEnvironments: [{ name: 'production' }] }, '.changeRequestEnvironments'],
  ])('refuses %j', async (settings, named) => {
    await expect(newProject(settings)).rejects.toMatchObject({ status: 400, message: expect.stringContaining(named) });
  });

  it('is for those who may create projects', async () => {
    await expect(rig.ask(contracts.createProject, { name: 'x' }, viewer)).rejects.toMatchObject({ code: 'no-access' });
  });
});

describe('changing a project', () => {
  it('emits the project before and after, and nothing when nothing changes', async () => {
    const id = await newProject();
    const change = { projectId: id, name: 'Changed', description: null, featureLimit: 3 };
    await rig.ask(contracts.updateProject, change, ann);
    await rig.ask(contracts.updateProject, change, ann);
    const events = (await eventsOf(id)).slice(1);
    expect(events).toMatchObject([
      { type: 'project-updated', data: { name: 'Changed', featureLimit: 3 }, preData: { featureLimit: null } },
    ]);
    expect(await overview(id)).toMatchObject({ name: 'Changed', featureLimit: 3, defaultStickiness: 'default' });
  });

  it('stores naming pattern and link templates, and keeps what is absent', async () => {
    const projectId = await newProject();
    const featureNaming = { pattern: 'shop\\.[a-z]+', example: 'shop.cart', description: 'Begin with shop.' };
    const linkTemplates = [{ title: 'Issue', urlTemplate: 'https://example.com/{{feature}}' }];
    await rig.ask(contracts.updateProjectSettings, { projectId, featureNaming }, ann);
    await rig.ask(contracts.updateProjectSettings, { projectId, linkTemplates }, ann);
    expect(await overview(projectId)).toMatchObject({ featureNaming, linkTemplates });
    await expect(newFlag(projectId, 'cart')).rejects.toMatchObject({
      ...{ code: 'bad-data', message: expect.stringContaining('"cart"') },
    });
    await newFlag(projectId, 'shop.cart');
    await rig.ask(contracts.updateProjectSettings, { projectId, featureNaming: { pattern: null } }, ann);
    expect((await overview(projectId)).featureNaming.pattern).toBeNull();
    await newFlag(projectId, `cart-${projectId}`);
  });

  it('refuses a pattern that is not RE2 and an unknown project', async () => {
    const projectId = await newProject();
    const bad = { projectId, featureNaming: { pattern: '(?<=a)b' } };
    await expect(rig.ask(contracts.updateProjectSettings, bad, ann)).rejects.toMatchObject({ code: 'bad-data' });
    const unknown = rig.ask(contracts.updateProject, { projectId: 'nowhere', name: 'x' }, ann);
    await expect(unknown).rejects.toMatchObject({ code: 'not-found', message: expect.stringContaining('"nowhere"') });
  });
});

describe('the limits', () => {
  it('of a project is exact for concurrent flags, and archived flags do not count', async () => {
    const projectId = await newProject({ featureLimit: 3 });
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => newFlag(projectId)));
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    expect(made).toHaveLength(3);
    const refused = results.filter((result) => result.status === 'rejected');
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'limit-exceeded' });
    await archive(projectId, made[0]!.name);
    await newFlag(projectId);
    await expect(newFlag(projectId)).rejects.toMatchObject({ message: expect.stringContaining('at most 3') });
  });

  it('of projects is exact for concurrent projects, and archived ones do not count', async () => {
    const { rows } = { rows: await rig.db.kysely.selectFrom('projects').select(['id', 'archived_at']).execute() };
    const free = maxProjects - rows.filter(({ archived_at }) => archived_at === null).length;
    const results = await Promise.allSettled(Array.from({ length: free + 4 }, () => newProject()));
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    expect(made).toHaveLength(free);
    const archived = made[0]!;
    await rig.ask(contracts.archiveProject, { projectId: archived }, ann);
    await newProject();
    const revival = rig.ask(contracts.reviveProject, { projectId: archived }, ann);
    await expect(revival).rejects.toMatchObject({ code: 'limit-exceeded' });
    for (const projectId of made.slice(1)) await rig.ask(contracts.archiveProject, { projectId }, ann);
  });
});

describe('archiving a project', () => {
  it('needs that its flags are archived, hides it from the list and refuses new flags', async () => {
    const projectId = await newProject();
    const { name } = await newFlag(projectId);
    const refused = { code: 'conflict', message: expect.stringContaining(`"${name}"`) };
    await expect(rig.ask(contracts.archiveProject, { projectId }, ann)).rejects.toMatchObject(refused);
    await archive(projectId, name);
    const before = await revisionsOf(projectId);
    await rig.ask(contracts.archiveProject, { projectId }, ann);
    await rig.ask(contracts.archiveProject, { projectId }, ann);
    expect(await summary(projectId)).toBeUndefined();
    expect(await summary(projectId, ann, true)).toMatchObject({ archivedAt: expect.any(String) });
    await expect(newFlag(projectId)).rejects.toMatchObject({ code: 'not-found' });
    await rig.ask(contracts.reviveProject, { projectId }, ann);
    await rig.ask(contracts.reviveProject, { projectId }, ann);
    expect(await summary(projectId)).toMatchObject({ archivedAt: null });
    const events = (await eventsOf(projectId)).slice(1);
    expect(events.map(({ type, data, preData }) => ({ type, data, preData }))).toEqual([
      { type: 'project-archived', data: null, preData: null },
      { type: 'project-revived', data: null, preData: null },
    ]);
    expect(await revisionsOf(projectId)).toEqual(before);
  });

  it('is refused for the first project', async () => {
    const refusal = { code: 'operation-denied' };
    await expect(rig.ask(contracts.archiveProject, { projectId: 'default' }, ann)).rejects.toMatchObject(refusal);
  });

  it('leaves no flag in an archived project when flags are made at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const projectId = await newProject();
      const [made, archived] = await Promise.allSettled([
        newFlag(projectId),
        rig.ask(contracts.archiveProject, { projectId }, ann),
      ]);
      expect([made.status, archived.status].sort()).toEqual(['fulfilled', 'rejected']);
    }
  });
});
