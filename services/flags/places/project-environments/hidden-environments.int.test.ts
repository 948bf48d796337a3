// Proves what becomes of hidden strategies while others change what they refer to, and while environments are removed.
import * as contracts from '@yardarm/shared/contracts/flags';
import { propertyRuns } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const environment = 'qa';
const rounds = Array.from({ length: propertyRuns(20) }, (_, index) => index);

let rig: OwnFlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  await rig.ask(contracts.createEnvironment, { name: environment, type: 'test' });
  // A new project has every environment.
  for (const id of ['old', 'new']) await rig.ask(contracts.createProject, { id, name: id });
});
afterAll(() => rig?.stop());

const add = (projectId: string) => rig.ask(contracts.addProjectEnvironment, { projectId, environment });
const remove = (projectId: string) => rig.ask(contracts.removeProjectEnvironment, { projectId, environment });
const create = (name: string) => rig.ask(contracts.createFeature, { projectId: 'old', name });
const use = (featureName: string, strategy: contracts.NewStrategy) =>
  rig.ask(contracts.addStrategy, { projectId: 'old', featureName, environment, strategy });
const newSegment = async (name: string) =>
  (await rig.ask(contracts.createSegment, { name, constraints: [], project: null })).id;
const strategiesOf = async (featureName: string, projectId = 'old') => {
  const { environments } = await rig.ask(contracts.getFeature, { projectId, featureName });
  return environments.find(({ name }) => name === environment)?.strategies;
};
const codesOf = (results: PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));

describe('an environment that returns', () => {
  it('has each strategy whole or disabled, while its segment is deleted at the same time', async () => {
    await create('segmented');
    for (const round of rounds) {
      const segment = await newSegment(`deleted-${round}`);
      const { id } = await use('segmented', { name: 'default', segments: [segment] } as contracts.NewStrategy);
      await remove('old');
      const results = await Promise.allSettled([add('old'), rig.ask(contracts.deleteSegment, { id: segment })]);
      // The segment is in use again if the environment came first.
      expect(results[0]).toMatchObject({ status: 'fulfilled' });
      const isDeleted = results[1].status === 'fulfilled';
      const returned = (await strategiesOf('segmented'))!.find((strategy) => strategy.id === id);
      expect(returned).toMatchObject(
        isDeleted ? { disabled: true, segments: [] } : { disabled: false, segments: [segment] },
      );
      await rig.ask(contracts.deleteStrategy, {
        projectId: 'old',
        featureName: 'segmented',
        environment,
        strategyId: id,
      });
    }
  });

  it('has strategies whose type is deleted meanwhile, disabled', async () => {
    await create('typed');
    await rig.ask(contracts.createStrategyType, { name: 'country', parameters: [] });
    await rig.ask(contracts.createStrategyType, { name: 'region', parameters: [] });
    await use('typed', { name: 'country' } as contracts.NewStrategy);
    await use('typed', { name: 'region' } as contracts.NewStrategy);
    await remove('old');
    await rig.ask(contracts.deleteStrategyType, { name: 'country' });
    await add('old');
    expect(await strategiesOf('typed')).toMatchObject([
      { name: 'country', disabled: true },
      { name: 'region', disabled: false },
    ]);
  });

  it('has each strategy as its type allows, while the type is deleted at the same time', async () => {
    await create('racing-type');
    for (const round of rounds) {
      const name = `type-${round}`;
      await rig.ask(contracts.createStrategyType, { name, parameters: [] });
      const { id } = await use('racing-type', { name } as contracts.NewStrategy);
      await remove('old');
      const results = await Promise.allSettled([add('old'), rig.ask(contracts.deleteStrategyType, { name })]);
      expect(results[0]).toMatchObject({ status: 'fulfilled' });
      const returned = (await strategiesOf('racing-type'))!.find((strategy) => strategy.id === id);
      expect(returned).toMatchObject({ name, disabled: results[1].status === 'fulfilled' });
    }
  });
});

it('an environment does not return while a flag would have too many bytes over all environments', async () => {
  const values = Array.from({ length: 300 }, (_, n) => `${n}`.padEnd(1000, 'x'));
  const big = { name: 'default', constraints: [{ contextName: 'x', operator: 'IN', values }] } as contracts.NewStrategy;
  const strategy = { projectId: 'old', featureName: 'big', environment: 'production' };
  await create('big');
  await use('big', big);
  await remove('old');
  const { id: strategyId } = await rig.ask(contracts.addStrategy, { ...strategy, strategy: big });
  await expect(add('old')).rejects.toMatchObject({
    code: 'limit-exceeded',
    message: expect.stringMatching(/flag .*big.* would have more than 500000 bytes/),
  });
  expect(await strategiesOf('big')).toBeUndefined();
  await rig.ask(contracts.deleteStrategy, { ...strategy, strategyId });
  await add('old');
  expect(await strategiesOf('big')).toHaveLength(1);
});

it('what a flag had in a removed environment is deleted when it moves to another project, and its event says so', async () => {
  await create('moving');
  await use('moving', { name: 'default' } as contracts.NewStrategy);
  for (const project of ['old', 'new']) await remove(project);
  await rig.ask(contracts.changeProject, { projectId: 'old', featureName: 'moving', newProjectId: 'new' });
  expect((await rig.events('moving')).at(-1)).toMatchObject({
    type: 'feature-project-change',
    preData: { hiddenStrategies: { [environment]: 1 } },
  });
  await add('new');
  expect(await strategiesOf('moving', 'new')).toEqual([]);
  await add('old');
});

it('an environment is removed while strategies are added to it: each is refused, or hidden and returns', async () => {
  await create('raced');
  for (const round of rounds) {
    const titles = Array.from({ length: 4 }, (_, index) => `${round}-${index}`);
    const adding = titles.map((title) => use('raced', { name: 'default', title } as contracts.NewStrategy));
    const [removal, ...results] = await Promise.allSettled([remove('old'), ...adding]);
    expect(removal).toMatchObject({ status: 'fulfilled' });
    expect(codesOf(results).filter((code) => code !== 'not-found')).toEqual([]);
    const added = titles.filter((_, index) => results[index]!.status === 'fulfilled');
    await add('old');
    const strategies = (await strategiesOf('raced'))!;
    expect(strategies.map(({ title }) => title).sort()).toEqual(added);
    for (const { id: strategyId } of strategies)
      await rig.ask(contracts.deleteStrategy, { projectId: 'old', featureName: 'raced', environment, strategyId });
  }
});
