// Proves favorites and what lists, overviews and the status of projects show, over a real bus and Postgres.
import { randomUUID } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const ann: Actor = { kind: 'user', id: 7, username: 'ann', name: 'Ann', grants: [{ permissions: ['ADMIN'] }] };
const viewer: Actor = { kind: 'user', id: 8, username: 'viewer', grants: [] };

let rig: OwnFlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

async function newProject(): Promise<string> {
  const id = `p-${randomUUID().slice(0, 8)}`;
  await rig.ask(contracts.createProject, { id, name: `Project ${id}` }, ann);
  return id;
}

const newFlag = (projectId: string) =>
  rig.ask(contracts.createFeature, { projectId, name: `flag-${randomUUID()}` }, ann);
const replace = (name: string, value: unknown) => ({ op: 'replace' as const, path: `/${name}`, value });
const archive = (projectId: string, featureName: string) =>
  rig.ask(contracts.patchFeature, { projectId, featureName, operations: [replace('archived', true)] }, ann);
const overview = (projectId: string, actor = ann) => rig.ask(contracts.getProjectOverview, { projectId }, actor);

async function eventsOf(project: string) {
  const events = (await rig.events()).filter((event) => event.project === project && event.featureName === null);
  return events.map(({ type, data, preData, createdByUserId }) => ({ type, data, preData, createdByUserId }));
}

async function summary(id: string, actor = ann) {
  return (await rig.ask(contracts.listProjects, { ids: [id] }, actor)).projects[0];
}

describe('favorites', () => {
  it('belong to the caller, with an event for each change', async () => {
    const projectId = await newProject();
    for (const contract of [contracts.addFavoriteProject, contracts.addFavoriteProject]) {
      await rig.ask(contract, { projectId }, viewer);
    }
    expect(await summary(projectId, viewer)).toMatchObject({ favorite: true });
    expect(await summary(projectId)).toMatchObject({ favorite: false });
    expect((await overview(projectId, viewer)).favorite).toBe(true);
    await rig.ask(contracts.removeFavoriteProject, { projectId }, viewer);
    await rig.ask(contracts.removeFavoriteProject, { projectId }, viewer);
    expect((await eventsOf(projectId)).slice(1)).toEqual([
      { type: 'project-favorited', data: { project: projectId }, preData: null, createdByUserId: 8 },
      { type: 'project-unfavorited', data: { project: projectId }, preData: null, createdByUserId: 8 },
    ]);
  });

  it('are refused for admin tokens and unknown projects', async () => {
    const ask = (projectId: string, actor?: Actor) => rig.ask(contracts.addFavoriteProject, { projectId }, actor);
    await expect(ask('default')).rejects.toMatchObject({ code: 'no-access' });
    await expect(ask('nowhere', viewer)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('what a project shows', () => {
  it('counts flags by type, stage and staleness, and names their creators', async () => {
    const projectId = await newProject();
    expect(await summary(projectId)).toMatchObject({ onboardingStatus: { status: 'onboarding-started' } });
    const [first, second, third, old] = await Promise.all([1, 2, 3, 4].map(() => newFlag(projectId)));
    const operations = [replace('stale', true), replace('type', 'experiment')];
    await rig.ask(contracts.patchFeature, { projectId, featureName: first!.name, operations }, ann);
    await archive(projectId, second!.name);
    await rig.db.kysely
      .updateTable('features')
      .set({ created_at: new Date(Date.now() - 41 * 86_400_000) })
      .where('name', '=', old!.name)
      .execute();
    expect(await summary(projectId)).toMatchObject({
      ...{ featureCount: 3, staleFeatureCount: 1, potentiallyStaleFeatureCount: 1, technicalDebt: 67, health: 33 },
      ...{ onboardingStatus: { status: 'first-flag-created', feature: old!.name }, lastReportedFlagUsage: null },
    });
    expect(await overview(projectId)).toMatchObject({
      featureTypeCounts: [
        { type: 'experiment', count: 1 },
        { type: 'release', count: 2 },
      ],
      stats: { createdCurrentWindow: 3, createdPastWindow: 1, archivedCurrentWindow: 1, archivedPastWindow: 0 },
    });
    expect(await rig.ask(contracts.getProjectStatus, { projectId })).toMatchObject({
      ...{ segments: 0, health: { current: 33 }, technicalDebt: { current: 67 }, staleFlags: { total: 2 } },
      lifecycleSummary: {
        initial: { averageDays: 0, currentFlags: 3 },
        live: { averageDays: null, currentFlags: 0 },
        archived: { currentFlags: 1, last30Days: 1 },
      },
    });
    const creators = await rig.ask(contracts.listFlagCreators, { projectId });
    expect(creators).toEqual({ creators: [{ id: 7, name: 'Ann' }] });
    await rig.ask(contracts.createFeature, { projectId: await newProject(), name: 'of-the-system' });
    const all = (await rig.ask(contracts.listFlagCreators, {})).creators;
    expect(all).toContainEqual({ id: 7, name: 'Ann' });
    expect(all.length).toBeGreaterThan(1);
    const { flags } = await rig.ask(contracts.listOwnFlags, {}, ann);
    expect(flags).toContainEqual({ name: third!.name, project: projectId, type: 'release' });
    expect(flags.map(({ name }) => name)).not.toContain(second!.name);
  });

  it('is in a list without what only its overview shows, which may have 500 kB for each project', async () => {
    const projectId = await newProject();
    const [{ login } = { login: '' }] = (
      await sql<{ login: string }>`select current_user as login`.execute(rig.db.kysely)
    ).rows;
    const listed = 'id, name, description, mode, default_stickiness, created_at, updated_at, archived_at';
    await rig.database.rows(`revoke select on flags.projects from ${login}`);
    await rig.database.rows(`grant select (${listed}) on flags.projects to ${login}`);
    try {
      expect(await summary(projectId)).toMatchObject({ id: projectId, featureCount: 0 });
    } finally {
      await rig.database.rows(`grant select on flags.projects to ${login}`);
    }
    expect(await overview(projectId)).toMatchObject({ linkTemplates: [] });
  });

  it('is missing for an unknown project', async () => {
    const unknown = { projectId: 'nowhere' };
    const missing = { code: 'not-found', message: expect.stringContaining('"nowhere"') };
    await expect(overview('nowhere')).rejects.toMatchObject(missing);
    await expect(rig.ask(contracts.getProjectStatus, unknown)).rejects.toMatchObject(missing);
    await expect(rig.ask(contracts.listFlagCreators, unknown)).rejects.toMatchObject(missing);
  });
});
