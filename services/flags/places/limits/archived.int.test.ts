// Archived flags and projects do not count for the limits, but they are not without a limit.
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { sentDocument } from '../../testing/imports.ts';

const projectId = 'default';
const [maxFlags, maxProjects] = [4, 3];
const times = 10;

let rig: FlagsRig;

beforeAll(async () => {
  const limits = { UNLEASH_FEATURE_FLAGS_LIMIT: String(maxFlags), UNLEASH_PROJECTS_LIMIT: String(maxProjects) };
  rig = await startOwnFlagsRig(limits);
});
afterAll(() => rig?.stop());

const exceeded = (most: number, noun: string) => ({
  code: 'limit-exceeded',
  message: `There may be at most ${most} ${noun} together with the archived ones. Delete an archived one before you add another.`,
});
const create = (name: string) => rig.ask(contracts.createFeature, { projectId, name });
const archive = (featureName: string) => rig.ask(contracts.archiveFeature, { projectId, featureName });
const revive = (featureName: string) => rig.ask(contracts.reviveFeature, { featureName });
const countOf = async (table: 'features' | 'projects') =>
  (await rig.db.kysely.selectFrom(table).select('created_at').execute()).length;

/** The values of calls at once, of which the others were refused for this reason. */
async function made<Value>(calls: readonly Promise<Value>[], reason: object): Promise<Value[]> {
  const results = await Promise.allSettled(calls);
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(reason);
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

describe('flags that are made and archived again and again', () => {
  const most = times * maxFlags;

  it('are refused at ten times the limit, exactly, also at once, by a clone and by an import', async () => {
    const names = Array.from({ length: most - 2 }, (_, index) => `flag-${index}`);
    for (const name of names) {
      await create(name);
      await archive(name);
    }
    const racing = Array.from({ length: 8 }, (_, index) => create(`racing-${index}`));
    expect(await made(racing, exceeded(most, 'features'))).toHaveLength(2);
    expect(await countOf('features')).toBe(most);
    const [{ name: original }] = (await rig.db.kysely
      .selectFrom('features')
      .select('name')
      .where('archived_at', 'is', null)
      .execute()) as [{ name: string }];
    const clone = rig.ask(contracts.cloneFeature, {
      projectId,
      featureName: original,
      name: 'clone',
      replaceGroupId: true,
    });
    await expect(clone).rejects.toMatchObject(exceeded(most, 'features'));
    const imported = sentDocument({ features: [{ name: 'imported', type: 'release' }] });
    await expect(rig.ask(contracts.importFeatures, imported)).rejects.toMatchObject(exceeded(most, 'features'));
    expect(await countOf('features')).toBe(most);
  });

  it('can be revived while there is room among the others, also beyond the limit of all', async () => {
    await rig.db.kysely
      .insertInto('features')
      .values({
        ...{ name: 'beyond', project: projectId, type: 'release', impression_data: false, created_by_user_id: 1 },
        archived_at: new Date(),
      })
      .execute();
    await revive('flag-0');
    await revive('flag-1');
    await expect(revive('flag-2')).rejects.toMatchObject({
      message: `There may be at most ${maxFlags} features. Remove one before you add another.`,
    });
    await archive('flag-0');
    await revive('flag-2');
    await archive('flag-2');
  });

  it('make room when archived ones are deleted', async () => {
    for (const featureName of ['beyond', 'flag-3', 'flag-4']) await rig.ask(contracts.deleteFeature, { featureName });
    await archive('flag-1');
    const racing = Array.from({ length: 4 }, (_, index) => create(`later-${index}`));
    expect(await made(racing, { code: 'limit-exceeded' })).toHaveLength(2);
    expect(await countOf('features')).toBe(most);
  });
});

describe('projects that are made and archived again and again', () => {
  const most = times * maxProjects;
  const newProject = (id: string) => rig.ask(contracts.createProject, { id, name: id });
  const archiveOne = (id: string) => rig.ask(contracts.archiveProject, { projectId: id });

  it('are refused at ten times the limit, can be revived, and make room when one is deleted', async () => {
    // The project `default` is one of them.
    for (let index = 1; index < most - 1; index += 1) {
      await newProject(`project-${index}`);
      await archiveOne(`project-${index}`);
    }
    const racing = Array.from({ length: 6 }, (_, index) => newProject(`racing-${index}`));
    expect(await made(racing, exceeded(most, 'projects'))).toHaveLength(1);
    expect(await countOf('projects')).toBe(most);
    await rig.ask(contracts.reviveProject, { projectId: 'project-1' });
    await archiveOne('project-1');
    await rig.ask(contracts.deleteProject, { projectId: 'project-1' });
    await newProject('later');
    expect(await countOf('projects')).toBe(most);
  });
});
