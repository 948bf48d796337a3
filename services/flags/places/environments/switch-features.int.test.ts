// Proves switches of many flags over a real bus and Postgres.
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const create = (name: string) => rig.ask(contracts.createFeature, { projectId, name });
const switchMany = (enabled: boolean, features: string[], environment = 'production') =>
  rig.ask(contracts.switchFeatures, { projectId, environment, features, enabled });
const get = (featureName: string) =>
  rig.ask(contracts.getFeatureEnvironment, { projectId, featureName, environment: 'production' });
const typesOf = async (name: string) => (await rig.events(name)).map(({ type }) => type);

it('many flags are switched on in one change, with the default strategy where none is enabled, and off', async () => {
  for (const name of ['a', 'b', 'c']) await create(name);
  await rig.ask(contracts.addStrategy, {
    ...{ projectId, featureName: 'b', environment: 'production', strategy: { name: 'default' } },
  });
  await rig.ask(contracts.switchEnvironment, {
    ...{ projectId, featureName: 'c', environment: 'production', enabled: true },
  });
  const before = (await rig.ask(contracts.listRevisions, {})).environments;
  await switchMany(true, ['c', 'b', 'a', 'a']);
  const after = (await rig.ask(contracts.listRevisions, {})).environments;
  expect(after.production!.default).toBe(before.production!.default! + 1);
  expect(after.development).toEqual(before.development);
  for (const [name, strategy] of [
    ['a', 'flexibleRollout'],
    ['b', 'default'],
    ['c', 'flexibleRollout'],
  ] as const) {
    expect(await get(name)).toMatchObject({ enabled: true, strategies: [{ name: strategy, featureName: name }] });
  }
  const a = await rig.events('a');
  const [strategy] = (await get('a')).strategies;
  expect(a[1]).toMatchObject({ type: 'feature-strategy-add', environment: 'production', data: strategy });
  expect(await typesOf('a')).toEqual(['feature-created', 'feature-strategy-add', 'feature-environment-enabled']);
  expect(await typesOf('b')).toEqual(['feature-created', 'feature-strategy-add', 'feature-environment-enabled']);

  await switchMany(false, ['a', 'b', 'c']);
  expect((await get('a')).enabled).toBe(false);
  expect((await typesOf('c')).at(-1)).toBe('feature-environment-disabled');
  await switchMany(false, []);
});

it('switching on can enable the disabled strategies instead of adding the default one', async () => {
  await create('resting');
  const place = { projectId, featureName: 'resting', environment: 'production' };
  for (const title of ['first', 'second']) {
    const strategy = { name: 'flexibleRollout', title, disabled: true };
    await rig.ask(contracts.addStrategy, { ...place, strategy });
  }
  const disabled = (await get('resting')).strategies;
  await rig.ask(contracts.switchEnvironment, { ...place, enabled: true, shouldActivateDisabledStrategies: true });
  const { enabled, strategies } = await get('resting');
  expect(enabled).toBe(true);
  expect(strategies).toEqual(disabled.map((strategy) => ({ ...strategy, disabled: false })));
  const events = (await rig.events('resting')).slice(3);
  expect(events.map(({ type }) => type).sort()).toEqual([
    ...['feature-environment-enabled', 'feature-strategy-update', 'feature-strategy-update'],
  ]);
  for (const [index, data] of strategies.entries()) {
    expect(events).toContainEqual(expect.objectContaining({ data, preData: disabled[index] }));
  }
});

it('the default strategy is that of the project in the environment', async () => {
  await create('own-default');
  const strategy = {
    name: 'flexibleRollout',
    title: 'ours',
    disabled: true,
    segments: [],
    constraints: [],
    variants: [],
  };
  const own = JSON.stringify({ ...strategy, parameters: { rollout: '10', stickiness: 'default', groupId: '' } });
  await sql`update project_environments set default_strategy = ${own} where environment = 'production'`.execute(
    rig.db.kysely,
  );
  await switchMany(true, ['own-default']);
  expect((await get('own-default')).strategies).toMatchObject([
    { title: 'ours', disabled: false, segments: [], parameters: { rollout: '10', groupId: 'own-default' } },
  ]);
});

it('one flag that is unknown or archived, or an unknown environment, refuses the whole request', async () => {
  for (const name of ['d', 'e']) await create(name);
  await rig.ask(contracts.archiveFeature, { projectId, featureName: 'e' });
  const notFound = (name: string) => ({ code: 'not-found', message: expect.stringContaining(`"${name}"`) });
  await expect(switchMany(true, ['d', 'nobody'])).rejects.toMatchObject(notFound('nobody'));
  await expect(switchMany(true, ['d', 'e'])).rejects.toMatchObject({ ...notFound('e'), code: 'archived-feature' });
  for (const enabled of [true, false])
    await expect(
      rig.ask(contracts.switchEnvironment, { projectId, featureName: 'e', environment: 'production', enabled }),
    ).rejects.toMatchObject({ code: 'archived-feature' });
  await expect(switchMany(true, ['d'], 'staging')).rejects.toMatchObject(notFound('staging'));
  expect((await get('d')).enabled).toBe(false);
});
