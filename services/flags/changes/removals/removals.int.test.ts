// What deletions leave for readers of deltas is bounded, and a reader with an older state gets the whole.
import * as contracts from '@yardarm/shared/contracts/flags';
import { LeaseLostError, sql } from '@yardarm/shared/db';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertProject } from '../../places/projects/projects.repo.ts';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { forgetRemovals } from './forget-removals.ts';

const environment = 'development';
const leader = { requireCurrent: async () => {}, signal: new AbortController().signal };

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const newProject = (id: string) => rig.ask(contracts.createProject, { id, name: id });
const newFlag = (projectId: string, name: string) => rig.ask(contracts.createFeature, { projectId, name });
async function deleteFlag(projectId: string, featureName: string): Promise<void> {
  await rig.ask(contracts.archiveFeature, { projectId, featureName });
  await rig.ask(contracts.deleteFeature, { featureName });
}
const deleteProject = (projectId: string) => rig.ask(contracts.deleteProject, { projectId });
type Known = { epoch: string; revisions: Record<string, number> } | null;
const fetch = (known: Known) => rig.ask(contracts.fetchSnapshot, { environment, known });
const knownOf = ({ epoch, revisions }: NonNullable<Known>) => ({ epoch, revisions });
const begin = () => forgetRemovals(rig.db, leader, { gonePlaces: -1, removals: -1 });
const counted = async () => {
  const { rows } = await sql<{ counters: number; flags: number; segments: number }>`
    select (select count(*)::integer from revisions where project <> 'default') as counters,
      (select count(*)::integer from removed_features) as flags,
      (select count(*)::integer from segment_revisions where not is_used) as segments`.execute(rig.db.kysely);
  return rows[0];
};

describe('what deletions leave', () => {
  it('stays while it is within the bounds, and readers of deltas learn of the deletions by it', async () => {
    await newProject('gone');
    await newFlag('gone', 'of-gone');
    await newFlag('default', 'deleted');
    const before = await fetch(null);
    await deleteFlag('gone', 'of-gone');
    await deleteProject('gone');
    await deleteFlag('default', 'deleted');
    const most = { gonePlaces: 2, removals: 4 };
    expect(await counted()).toEqual({ counters: most.gonePlaces, flags: most.removals, segments: 0 });
    expect(await forgetRemovals(rig.db, leader, most)).toBe(false);
    expect(await counted()).toEqual({ counters: most.gonePlaces, flags: most.removals, segments: 0 });
    const delta = await fetch(knownOf(before));
    expect(delta.isWhole).toBe(false);
    expect(delta.removed.map(({ name }) => name).sort()).toEqual(['deleted', 'of-gone']);
  });

  it.each([
    ['counters of deleted projects', { gonePlaces: 1, removals: 100 }],
    ['removals of flags', { gonePlaces: 100, removals: 1 }],
  ])('is deleted when an epoch begins beyond the bound of %s, and an older reader gets the whole', async (_, most) => {
    await newProject('gone-too');
    await newFlag('gone-too', 'of-gone-too');
    await newFlag('default', 'kept');
    await newFlag('default', 'deleted-too');
    const before = await fetch(null);
    await deleteFlag('gone-too', 'of-gone-too');
    await deleteProject('gone-too');
    await deleteFlag('default', 'deleted-too');
    expect(await forgetRemovals(rig.db, leader, most)).toBe(true);
    expect(await counted()).toEqual({ counters: 0, flags: 0, segments: 0 });
    const after = await fetch(knownOf(before));
    expect(after).toMatchObject({ isWhole: true, removed: [] });
    expect(after.changed.map(({ feature }) => feature.name)).toEqual(['kept']);
    expect(Object.keys(after.revisions)).toEqual(['default']);
    // A reader of this epoch gets deltas, also of a project that is made again under the id.
    await newProject('gone-too');
    await newFlag('gone-too', 'again');
    await deleteFlag('default', 'kept');
    const delta = await fetch(knownOf(after));
    expect(delta).toMatchObject({ isWhole: false, removed: [{ name: 'kept', project: 'default' }] });
    expect(delta.changed.map(({ feature }) => feature.name)).toEqual(['again']);
    await deleteFlag('gone-too', 'again');
    await deleteProject('gone-too');
    await begin();
  });

  it('of segments is deleted too, and one that is in use stays', async () => {
    const strategyOf = (segments: number[]) => ({ name: 'default', segments });
    const segment = (name: string) => rig.ask(contracts.createSegment, { name, project: null, constraints: [] });
    const [used, unused] = [await segment('used'), await segment('unused')];
    await newFlag('default', 'segmented');
    const place = { projectId: 'default', featureName: 'segmented', environment };
    await rig.ask(contracts.addStrategy, { ...place, strategy: strategyOf([used.id]) });
    const { id: strategyId } = await rig.ask(contracts.addStrategy, { ...place, strategy: strategyOf([unused.id]) });
    await rig.ask(contracts.deleteStrategy, { ...place, strategyId });
    expect(await counted()).toMatchObject({ segments: 1 });
    await begin();
    expect(await counted()).toMatchObject({ segments: 0 });
    expect((await fetch(null)).changedSegments.map(({ id }) => id)).toEqual([used.id]);
  });

  it('is not deleted by a process that is no longer the leader', async () => {
    const { epoch } = await fetch(null);
    const requireCurrent = async () => {
      throw new LeaseLostError('removal-retention');
    };
    const former = { ...leader, requireCurrent };
    await expect(forgetRemovals(rig.db, former, { gonePlaces: -1, removals: -1 })).rejects.toThrow(LeaseLostError);
    expect((await fetch(null)).epoch).toBe(epoch);
  });
});

it('a project that is made again under its id while an epoch begins keeps the counter that it found', async () => {
  await newProject('racing');
  await deleteProject('racing');
  await sql`delete from deleted_incarnations where id = 'racing'`.execute(rig.db.kysely);
  let beginning: Promise<boolean> | undefined;
  await rig.db.transaction(async (trx) => {
    const settings = { name: 'racing', description: null, defaultStickiness: 'default', featureLimit: null };
    expect(await insertProject(trx, { id: 'racing', ...settings }, [environment])).not.toBeNull();
    beginning = begin();
    await eventually(async () => {
      const { rows } = await sql`select from pg_locks where not granted and relation = 'revisions'::regclass`.execute(
        trx,
      );
      expect(rows).toHaveLength(1);
    });
  });
  expect(await beginning).toBe(true);
  await newFlag('racing', 'of-racing');
  expect((await fetch(null)).revisions).toMatchObject({ racing: expect.any(Number) });
});
