// Proves what the deletion of a project removes, emits and tells readers, over a real bus and Postgres.
import { randomUUID } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const ann: Actor = { kind: 'user', id: 7, username: 'ann', name: 'Ann', grants: [{ permissions: ['ADMIN'] }] };
const viewer: Actor = { kind: 'user', id: 8, username: 'viewer', grants: [] };

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

async function newProject(id = `p-${randomUUID().slice(0, 8)}`): Promise<string> {
  await rig.ask(contracts.createProject, { id, name: 'Project' }, ann);
  return id;
}

async function newFlag(projectId: string): Promise<string> {
  const { name } = await rig.ask(contracts.createFeature, { projectId, name: `flag-${randomUUID()}` }, ann);
  return name;
}

const archive = (projectId: string, featureName: string) => {
  const operations = [{ op: 'replace' as const, path: '/archived', value: true }];
  return rig.ask(contracts.patchFeature, { projectId, featureName, operations }, ann);
};
const remove = (projectId: string) => rig.ask(contracts.deleteProject, { projectId }, ann);

async function revisionOf(project: string): Promise<number> {
  const { environments } = await rig.ask(contracts.listRevisions, {});
  expect(environments.production?.[project]).toBe(environments.development?.[project]);
  return environments.production?.[project] ?? -1;
}

/** What a reader of the production environment gets that knows the projects at these revisions. */
async function delta(revisions: Record<string, number>) {
  const { epoch } = await rig.ask(contracts.listRevisions, {});
  const input = { environment: 'production', known: { epoch, revisions } };
  const { changed, removed, revisions: raised } = await rig.ask(contracts.fetchSnapshot, input);
  return { changed: changed.map(({ feature }) => feature), removed, revisions: raised };
}

it('is refused while a flag is not archived, for the first project and for an unknown one', async () => {
  const project = await newProject();
  const name = await newFlag(project);
  await expect(remove(project)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(name) });
  await expect(remove('default')).rejects.toMatchObject({ code: 'operation-denied' });
  await expect(remove('nowhere')).rejects.toMatchObject({ code: 'not-found' });
  await expect(rig.ask(contracts.deleteProject, { projectId: project }, viewer)).rejects.toMatchObject({
    code: 'no-access',
  });
});

it('deletes archived flags, favorites, segments and context fields, each with its event, and the project last', async () => {
  const project = await newProject();
  const names = [await newFlag(project), await newFlag(project)].sort();
  await rig.ask(contracts.addFavoriteProject, { projectId: project }, viewer);
  await rig.db.kysely
    .insertInto('segments')
    .values({ name: `segment-${project}`, project, constraints: '[]', created_by: 'ann' })
    .execute();
  await rig.db.kysely
    .insertInto('context_fields')
    .values({ name: `field-${project}`, project })
    .execute();
  for (const name of names) await archive(project, name);
  const before = (await rig.events()).length;
  await remove(project);
  const events = (await rig.events()).slice(before).map(({ type, featureName, preData, data }) => ({
    ...{ type, featureName, data, preData },
  }));
  expect(events).toEqual([
    ...names.map((name) => ({
      ...{ type: 'feature-deleted', featureName: name, data: null },
      preData: expect.objectContaining({ name, project, archived: true }),
    })),
    {
      ...{ type: 'segment-deleted', featureName: null, data: null },
      preData: expect.objectContaining({ name: `segment-${project}`, project }),
    },
    {
      ...{ type: 'context-field-deleted', featureName: null, data: null },
      preData: expect.objectContaining({ name: `field-${project}` }),
    },
    {
      ...{ type: 'project-deleted', featureName: null, data: null },
      preData: expect.objectContaining({ id: project, createdAt: expect.any(String) }),
    },
  ]);
  const missing = await rig.ask(contracts.findMissingProjectsAndEnvironments, {
    projects: [project],
    environments: [],
  });
  expect(missing.projects).toEqual([project]);
  await rig.ask(contracts.createFeature, { projectId: 'default', name: names[0]! }, ann);
});

it('leads readers of any earlier state to the same end, and a project made again continues the counters', async () => {
  const project = await newProject();
  const start = await revisionOf(project);
  const name = await newFlag(project);
  const withFlag = await revisionOf(project);
  await archive(project, name);
  const archived = await revisionOf(project);
  await remove(project);
  const end = await revisionOf(project);
  expect([withFlag, archived, end]).toEqual([start + 1, start + 2, start + 3]);
  const { revisions } = await delta({});
  for (const revision of [start, withFlag, archived]) {
    const seen = await delta({ ...revisions, [project]: revision });
    expect(seen.changed).toEqual([]);
    expect(seen.removed.map(({ name }) => name)).toEqual(revision < archived ? [name] : []);
    expect(seen.revisions[project]).toBe(end);
  }
  await newProject(project);
  expect(await revisionOf(project)).toBe(end);
  await newFlag(project);
  expect(await revisionOf(project)).toBe(end + 1);
});

it('leaves nothing behind when flags are made at the same time', async () => {
  for (let round = 0; round < 5; round += 1) {
    const project = await newProject();
    const [made, removed] = await Promise.allSettled([newFlag(project), remove(project)]);
    expect([made.status, removed.status].sort()).toEqual(['fulfilled', 'rejected']);
  }
});
