// Lifecycles: completed by callers, and entered by reports of usage.
import { randomUUID } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { lockFeatures } from '../features.repo.ts';
import { upsertCompletion } from './lifecycle.repo.ts';

const projectId = 'default';

let rig: FlagsRig;
let count = 0;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

async function newFlag(): Promise<string> {
  count += 1;
  return (await rig.ask(contracts.createFeature, { projectId, name: `aging-${count}` })).name;
}

const get = (featureName: string) => rig.ask(contracts.getFeature, { projectId, featureName });
const stageOf = async (featureName: string) => (await get(featureName)).lifecycle.stage;
const stagesOf = async (featureName: string) =>
  (await rig.ask(contracts.getFeatureLifecycle, { projectId, featureName })).stages.map(({ stage }) => stage);
const switchOn = (featureName: string, environment: string) =>
  rig.ask(contracts.switchEnvironment, { projectId, featureName, environment, enabled: true });
const complete = (featureName: string, status: 'kept' | 'discarded' = 'kept', statusValue?: string) =>
  rig.ask(contracts.completeFeature, { projectId, featureName, status, ...(statusValue && { statusValue }) });
const uncomplete = (featureName: string) => rig.ask(contracts.uncompleteFeature, { projectId, featureName });
const archive = (featureName: string, value = true) =>
  rig.ask(contracts.patchFeature, {
    ...{ projectId, featureName, operations: [{ op: 'replace' as const, path: '/archived', value }] },
  });

const row = (featureName: string, environment: string, more: Partial<contracts.UsageRow> = {}): contracts.UsageRow => ({
  ...{ featureName, environment, application: 'shop', hour: '2026-03-01T10:00:00.000Z', yes: 1, no: 2, variants: {} },
  ...{ lastMoment: '2026-03-01T10:20:00.000Z', ...more },
});
const report = (rows: contracts.UsageRow[], batchId: string = randomUUID()) =>
  rig.ask(contracts.reportUsage, { batchId, rows });

it('every view has the last stage, not the one that was entered last', async () => {
  const { id } = await rig.ask(contracts.createProject, { id: 'racing', name: 'Racing' });
  const place = { projectId: id, featureName: 'racing-stages' };
  await rig.ask(contracts.createFeature, { projectId: id, name: place.featureName });
  await rig.ask(contracts.switchEnvironment, { ...place, environment: 'production', enabled: true });
  await rig.db.transaction(async (trx) => {
    await lockFeatures(trx, [place.featureName]);
    await upsertCompletion(trx, place.featureName, { status: 'kept', statusValue: null });
    await report([row(place.featureName, 'production')]);
  });
  expect((await rig.ask(contracts.getFeature, place)).lifecycle.stage).toBe('completed');
  const found = async (stage: string) => {
    const values = [stage];
    const search = {
      sortBy: 'name' as const,
      lifecycle: { isNegated: false, values },
      project: { isNegated: false, values: [id] },
    };
    return (await rig.ask(contracts.searchFeatures, search)).features.map(({ lifecycle }) => lifecycle?.stage);
  };
  expect([await found('completed'), await found('live')]).toEqual([['completed'], []]);
  const { lifecycleSummary } = await rig.ask(contracts.getProjectStatus, { projectId: id });
  expect(lifecycleSummary.completed.currentFlags).toBe(1);
  expect(lifecycleSummary.live.currentFlags).toBe(0);
});

describe('completing a flag', () => {
  it('enters the stage from any other, with its status, and uncompleting makes the flag live', async () => {
    const name = await newFlag();
    const before = await rig.ask(contracts.listRevisions, {});
    await complete(name, 'kept', 'blue');
    expect(await get(name)).toMatchObject({ lifecycle: { stage: 'completed', status: 'kept' }, version: 2 });
    await complete(name, 'kept', 'blue');
    await complete(name, 'discarded');
    const { stages } = await rig.ask(contracts.getFeatureLifecycle, { projectId, featureName: name });
    expect(stages).toEqual([
      { stage: 'initial', enteredStageAt: expect.any(String) },
      { stage: 'completed', status: 'discarded', enteredStageAt: expect.any(String) },
    ]);
    await uncomplete(name);
    await uncomplete(name);
    expect(await get(name)).toMatchObject({ lifecycle: { stage: 'live' }, version: 4 });
    expect(await stagesOf(name)).toEqual(['initial', 'live']);
    const [, ...events] = await rig.events(name);
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['feature-completed', { status: 'kept', statusValue: 'blue' }],
      ['feature-completed', { status: 'discarded', statusValue: null }],
      ['feature-uncompleted', null],
    ]);
    expect(await rig.ask(contracts.listRevisions, {})).toEqual(before);
  });

  it('needs a flag that is not archived', async () => {
    const name = await newFlag();
    await archive(name);
    await expect(complete(name)).rejects.toMatchObject({ code: 'not-found' });
    await expect(uncomplete(name)).rejects.toMatchObject({ code: 'not-found' });
    expect(await stagesOf(name)).toEqual(['initial', 'archived']);
    await expect(stagesOf('nobody')).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('a report of usage', () => {
  it('enters pre-live outside production or while the flag is off, and live in production when it is on', async () => {
    const name = await newFlag();
    await report([row(name, 'development')]);
    expect(await stageOf(name)).toBe('pre-live');
    await report([row(name, 'production')]);
    expect(await stageOf(name)).toBe('pre-live');
    await switchOn(name, 'production');
    await report([row(name, 'production')]);
    expect(await stagesOf(name)).toEqual(['initial', 'pre-live', 'live']);
    await report([row(name, 'development')]);
    expect(await stageOf(name)).toBe('live');

    const other = await newFlag();
    await switchOn(other, 'production');
    await report([row(other, 'development'), row(other, 'production')]);
    expect(await stagesOf(other)).toEqual(['initial', 'live']);
  });

  it('updates when a flag was last seen in each environment, and never sets it back', async () => {
    const name = await newFlag();
    await report([
      row(name, 'development', { lastMoment: '2026-03-01T10:10:00.000Z' }),
      row(name, 'development', { lastMoment: '2026-03-01T10:30:00Z', application: 'other' }),
      row(name, 'production', { yes: 0, no: 0 }),
    ]);
    await report([row(name, 'development', { lastMoment: '2026-03-01T09:00:00.000Z' })]);
    const feature = await get(name);
    expect(feature.environments.map(({ lastSeenAt }) => lastSeenAt)).toEqual(['2026-03-01T10:30:00.000Z', null]);
    expect(feature.lastSeenAt).toBe('2026-03-01T10:30:00.000Z');
    await report([row(name, 'production', { lastMoment: '2999-01-01T00:00:00.000Z' })]);
    expect(Date.parse((await get(name)).environments[1]!.lastSeenAt!)).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('is no change: it raises no version and no revision, emits nothing and adds no collaborator', async () => {
    const name = await newFlag();
    const before = [await get(name), await rig.ask(contracts.listRevisions, {}), await rig.events()] as const;
    await report([row(name, 'development')]);
    const { lifecycle, lastSeenAt, environments, ...unchanged } = await get(name);
    expect(before[0]).toMatchObject(unchanged);
    expect([await rig.ask(contracts.listRevisions, {}), await rig.events()]).toEqual(before.slice(1));
  });

  it('counts once by its batch, also when it is repeated at the same time', async () => {
    const [name, other] = [await newFlag(), await newFlag()];
    const batchId = randomUUID();
    await Promise.all(Array.from({ length: 5 }, () => report([row(name, 'development')], batchId)));
    expect(await stageOf(name)).toBe('pre-live');
    // The same batch with other rows shows that its rows are not read again.
    await report([row(other, 'development')], batchId);
    expect(await stageOf(other)).toBe('initial');
  });

  it('forgets batches after a week', async () => {
    const old = await rig.db.kysely.selectFrom('usage_batches').select('batch_id').execute();
    expect(old.length).toBeGreaterThan(0);
    await rig.db.kysely
      .updateTable('usage_batches')
      .set({ received_at: new Date('2026-01-01') })
      .execute();
    for (let times = 0; times <= old.length / 10; times += 1) await report([]);
    const kept = await rig.db.kysely.selectFrom('usage_batches').select('batch_id').execute();
    expect(kept.filter(({ batch_id }) => old.some((one) => one.batch_id === batch_id))).toEqual([]);
  });

  it('ignores flags and environments that do not exist, and archived flags', async () => {
    const [name, archived] = [await newFlag(), await newFlag()];
    await archive(archived);
    await report([row('nobody', 'development'), row(name, 'nowhere'), row(archived, 'development')]);
    expect(await stageOf(name)).toBe('initial');
    expect(await stagesOf(archived)).toEqual(['initial', 'archived']);
    await archive(archived, false);
    expect(await stageOf(archived)).toBe('initial');
  });

  it('waits for no change of a flag', async () => {
    const name = await newFlag();
    await rig.db.transaction(async (trx) => {
      await lockFeatures(trx, [name]);
      await report([row(name, 'development')]);
    });
    expect(await stageOf(name)).toBe('pre-live');
  });

  it('lets every change of a flag go on while it is not committed', async () => {
    const name = await newFlag();
    const rollback = new Error('rolled back');
    const uncommitted = rig.db.transaction(async (trx) => {
      await trx.insertInto('feature_lifecycle').values({ feature_name: name, stage: 'pre-live' }).execute();
      const seen = { feature_name: name, environment: 'development', last_seen_at: new Date() };
      await trx.insertInto('feature_last_seen').values(seen).execute();
      await switchOn(name, 'development');
      await complete(name);
      await archive(name);
      await archive(name, false);
      throw rollback;
    });
    await expect(uncommitted).rejects.toBe(rollback);
    expect(await get(name)).toMatchObject({ archived: false, version: 5 });
  });

  it('does not deadlock with others that have the same flags in another order', async () => {
    const names = await Promise.all(Array.from({ length: 10 }, newFlag));
    const rows = names.flatMap((name) => [row(name, 'development'), row(name, 'production')]);
    await Promise.all(Array.from({ length: 12 }, (_, index) => report(index % 2 === 0 ? rows : rows.toReversed())));
    expect(await Promise.all(names.map(stageOf))).toEqual(names.map(() => 'pre-live'));
  });
});

it('counts the flags in each stage', async () => {
  const before = await rig.ask(contracts.countLifecycleStages, {});
  const [completed, archived, live] = [await newFlag(), await newFlag(), await newFlag(), await newFlag()];
  await complete(completed!);
  await archive(archived!);
  await switchOn(live!, 'production');
  await report([row(live!, 'production')]);
  expect(await rig.ask(contracts.countLifecycleStages, {})).toEqual({
    initial: before.initial + 1,
    preLive: before.preLive,
    live: before.live + 1,
    completed: before.completed + 1,
    archived: before.archived + 1,
  });
});
