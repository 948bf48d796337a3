// Proves that a clone has what its source has in the chosen projects, and nothing else.
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

let rig: OwnFlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  await rig.database.rows(`
    insert into flags.projects (id, name) values ('shop', 'Shop'), ('bare', 'Bare');
    insert into flags.projects (id, name, archived_at) values ('closed', 'Closed', now());
    insert into flags.project_environments (project, environment)
      values ('shop', 'production'), ('bare', 'development'), ('closed', 'production');
    insert into flags.segments (name, constraints, created_by) values ('beta', '[]', 'test')`);
  await addFlag('default', 'both');
  await addFlag('default', 'off');
  await addFlag('shop', 'sold');
  await addFlag('bare', 'bare');
  const strategy = { name: 'flexibleRollout', title: 'Half', parameters: { rollout: '50' } };
  await addStrategy('both', strategy);
  await addStrategy('both', { name: 'default', disabled: true });
  await rig.ask(contracts.switchEnvironment, { ...ofFlag('both'), environment: 'production', enabled: true });
  const [strategyId] = (await inEnvironment('both', 'production'))!.strategies.map(({ id }) => id);
  await rig.database.rows('insert into flags.strategy_segments (strategy_id, segment_id) values ($1, 1)', [strategyId]);
  const variants = JSON.stringify([{ name: 'blue', weight: 1000 }]);
  await rig.database.rows(
    `update flags.feature_environments set variants = $1 where feature_name = 'both' and environment = 'production'`,
    [variants],
  );
  await rig.ask(contracts.setDefaultStrategy, { projectId: 'default', environment: 'production', strategy });
});
afterAll(() => rig?.stop());

const ofFlag = (featureName: string, projectId = 'default') => ({ projectId, featureName });
const addFlag = (projectId: string, name: string) => rig.ask(contracts.createFeature, { projectId, name });
const addStrategy = (featureName: string, strategy: { name: string; [property: string]: unknown }) =>
  rig.ask(contracts.addStrategy, { ...ofFlag(featureName), environment: 'production', strategy });
const inEnvironment = async (featureName: string, environment: string, projectId = 'default') =>
  (await rig.ask(contracts.getFeature, ofFlag(featureName, projectId))).environments.find(
    ({ name }) => name === environment,
  );
const clone = (name: string, projects?: string[], source = 'production') =>
  rig.ask(contracts.cloneEnvironment, { name: source, clone: { name, type: 'test', ...(projects && { projects }) } });

it('has states, strategies with segments, variants and the default strategy of the source', async () => {
  expect(await clone('copy', ['default', 'default'])).toMatchObject({ name: 'copy', type: 'test', enabled: true });
  const [source, copy] = [await inEnvironment('both', 'production'), await inEnvironment('both', 'copy')];
  const withoutIds = (strategies: object[]) => strategies.map((strategy) => ({ ...strategy, id: null }));
  expect(copy).toMatchObject({ enabled: true, variants: source!.variants, type: 'test' });
  expect(withoutIds(copy!.strategies)).toEqual(withoutIds(source!.strategies));
  expect(copy!.strategies[0]).toMatchObject({ title: 'Half', segments: [1] });
  expect(copy!.strategies[0]!.id).not.toBe(source!.strategies[0]!.id);
  expect(await inEnvironment('off', 'copy')).toMatchObject({ enabled: false, strategies: [] });
  expect(await inEnvironment('sold', 'copy', 'shop')).toBeUndefined();
  const { environments } = await rig.ask(contracts.listProjectEnvironments, { projectId: 'default' });
  expect(environments.find(({ name }) => name === 'copy')?.defaultStrategy?.title).toBe('Half');
});

it('is what SDKs read, with its segments', async () => {
  const { changed, changedSegments, revisions } = await rig.ask(contracts.fetchSnapshot, {
    ...{ environment: 'copy', known: null },
  });
  expect(revisions).toEqual({ default: 1 });
  expect(changed.map(({ feature, revision }) => [feature.name, feature.enabled, revision])).toEqual([
    ['both', true, 1],
    ['off', false, 1],
  ]);
  expect(changedSegments).toMatchObject([{ id: 1, project: 'default', revision: 1 }]);
});

it('emits its creation and one addition per project', async () => {
  const events = (await rig.events()).filter(({ environment }) => environment === 'copy');
  expect(events).toMatchObject([
    { type: 'environment-created', project: null, data: { name: 'copy', type: 'test' } },
    { type: 'project-environment-added', project: 'default' },
  ]);
});

it('is in every open project that has the source with *, and in none without a list', async () => {
  await clone('everywhere', ['*']);
  await clone('nowhere-yet');
  const { environments } = await rig.ask(contracts.listEnvironments, {});
  const counts = Object.fromEntries(environments.map(({ name, projectCount }) => [name, projectCount]));
  expect(counts).toMatchObject({ everywhere: 2, 'nowhere-yet': 0 });
});

it('has the flags of a project without the source, off', async () => {
  await clone('bare-copy', ['bare']);
  expect(await inEnvironment('bare', 'bare-copy', 'bare')).toMatchObject({ enabled: false, strategies: [] });
});

it('is refused whole for an unknown or archived project, an unknown source and a taken name', async () => {
  await expect(clone('refused', ['default', 'none'])).rejects.toMatchObject({ code: 'bad-data' });
  await expect(clone('refused', ['closed'])).rejects.toMatchObject({
    code: 'bad-data',
    message: expect.stringContaining('"closed"'),
  });
  await expect(clone('refused', ['default'], 'none')).rejects.toMatchObject({ code: 'not-found' });
  await expect(clone('copy', ['default'])).rejects.toMatchObject({ code: 'name-exists' });
  await expect(rig.ask(contracts.getEnvironment, { name: 'refused' })).rejects.toMatchObject({ code: 'not-found' });
  expect(await inEnvironment('both', 'refused')).toBeUndefined();
});

it('is refused when a flag would have too many bytes', async () => {
  const constraints = [
    {
      contextName: 'x',
      operator: 'IN' as const,
      values: Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(1000, 'x')),
    },
  ];
  await addStrategy('off', { name: 'default', constraints });
  for (const name of ['big-1', 'big-2', 'big-3']) await clone(name, ['default']);
  await expect(clone('big-4', ['default'])).rejects.toMatchObject({
    code: 'limit-exceeded',
    message: expect.stringContaining('"off"'),
  });
});
