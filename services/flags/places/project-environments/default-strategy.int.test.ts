// Proves the default strategy of a project in an environment: what flags get, what it refers to, and its events.
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

let rig: OwnFlagsRig;
let segments = 0;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  await rig.ask(contracts.createProject, { id: 'other', name: 'Other' });
  await rig.ask(contracts.createEnvironment, { name: 'qa', type: 'test' });
  await rig.ask(contracts.createEnvironment, { name: 'off', type: 'test', enabled: false });
  await rig.ask(contracts.addProjectEnvironment, { projectId, environment: 'qa' });
});
afterAll(() => rig?.stop());

const projectId = 'default';
const remove = (environment: string) => rig.ask(contracts.removeProjectEnvironment, { projectId, environment });
const makeFlag = (name: string) => rig.ask(contracts.createFeature, { projectId, name });
const switchOn = (featureName: string, environment: string) =>
  rig.ask(contracts.switchEnvironment, { projectId, featureName, environment, enabled: true });
const getFlag = (featureName: string) => rig.ask(contracts.getFeature, { projectId, featureName });
const eventsOf = async (environment: string) =>
  (await rig.events()).filter((event) => event.environment === environment && event.project !== null);

describe('a default strategy', () => {
  const strategy = {
    name: 'flexibleRollout',
    title: 'Half',
    constraints: [{ contextName: 'country', operator: 'IN' as const, values: ['NO'] }],
    parameters: { rollout: '50', stickiness: 'userId' },
  };
  const set = (environment: string, changes: object = {}, project = projectId) =>
    rig.ask(contracts.setDefaultStrategy, {
      projectId: project,
      environment,
      strategy: { ...strategy, ...changes },
    });

  const newSegment = () => {
    segments += 1;
    return rig.ask(contracts.createSegment, { name: `of-a-default-${segments}`, constraints: [] });
  };
  function giveToOther(id: number, name: string) {
    return rig.ask(contracts.updateSegment, { id, name, project: 'other', constraints: [] });
  }

  it('is what a flag gets that is switched on without a strategy', async () => {
    const stored = await set('development');
    expect(stored).toMatchObject(strategy);
    await makeFlag('defaulted');
    await switchOn('defaulted', 'development');
    const [, environment] = (await getFlag('defaulted')).environments.toReversed().slice(1);
    expect(environment).toMatchObject({
      name: 'development',
      strategies: [{ ...strategy, parameters: { ...strategy.parameters, groupId: 'defaulted' }, sortOrder: 0 }],
    });
    const [listed] = (await rig.ask(contracts.listProjectEnvironments, { projectId })).environments;
    expect(listed).toMatchObject({ name: 'development', defaultStrategy: stored });
  });

  it('keeps its segments: none is deleted or given to another project', async () => {
    const { id, name } = await newSegment();
    await set('production', { segments: [id] });
    await expect(rig.ask(contracts.deleteSegment, { id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`default strategy of the project ${projectId} in production`),
    });
    await expect(giveToOther(id, name)).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining(`(${projectId})`),
    });
    await set('production');
  });

  it.each([
    ['deleted', 'conflict', (id: number) => rig.ask(contracts.deleteSegment, { id })],
    ['given to another project', 'bad-data', giveToOther],
  ])('and a segment that is %s at the same time: one of the two is refused', async (_, code, end) => {
    // Two requests leave several orders open, and each of these rounds finds one.
    for (let round = 0; round < 12; round += 1) {
      const { id, name } = await newSegment();
      const [used, ended] = await Promise.allSettled([set('production', { segments: [id] }), end(id, name)]);
      expect([used.status, ended.status].sort()).toEqual(['fulfilled', 'rejected']);
      if (used.status === 'rejected') expect(used.reason).toMatchObject({ code: 'bad-data' });
      if (ended.status === 'rejected') expect(ended.reason).toMatchObject({ code });
    }
    await makeFlag(`after-${code}`);
    await switchOn(`after-${code}`, 'production');
    await set('production');
  });

  it('is added enabled, also if it is disabled', async () => {
    await set('production', { disabled: true });
    await makeFlag('enabled');
    await switchOn('enabled', 'production');
    const environment = (await getFlag('enabled')).environments.find(({ name }) => name === 'production');
    expect(environment?.strategies).toMatchObject([{ disabled: false }]);
  });

  it('emits its change with both, and nothing when nothing changed', async () => {
    const before = (await eventsOf('development')).length;
    await set('development');
    await set('development', { title: 'Other' });
    expect((await eventsOf('development')).slice(before)).toMatchObject([
      {
        type: 'default-strategy-updated',
        project: projectId,
        data: { ...strategy, title: 'Other' },
        preData: strategy,
      },
    ]);
  });

  it('is set in every environment of the project by *', async () => {
    await set('*', { title: 'Everywhere' });
    const { environments } = await rig.ask(contracts.listProjectEnvironments, { projectId });
    const titles = environments.map((each) => each.defaultStrategy?.title);
    expect(titles).toEqual(['Everywhere', 'Everywhere', 'Everywhere', undefined]);
  });

  it('is given with the environment', async () => {
    await remove('qa');
    await rig.ask(contracts.addProjectEnvironment, { projectId, environment: 'qa', defaultStrategy: strategy });
    expect((await eventsOf('qa')).slice(-2)).toMatchObject([
      { type: 'project-environment-added' },
      { type: 'default-strategy-updated', data: strategy, preData: null },
    ]);
  });

  it('has a bound of bytes together with all others, and may shrink beyond it', async () => {
    const constraints = (bytes: number) => [
      {
        contextName: 'userId',
        operator: 'IN' as const,
        values: Array.from({ length: bytes / 100 }, (_, n) => String(n).padStart(97, 'x')),
      },
    ];
    const exceeded = { code: 'limit-exceeded', message: expect.stringContaining('10000000 bytes together') };
    await set('production', { constraints: constraints(10_000) });
    await rig.database.rows(`
      update flags.project_environments set default_strategy =
        json_build_object('name', 'flexibleRollout', 'title', repeat('x', 9999000), 'constraints', '[]'::json,
          'parameters', '{}'::json, 'segments', '[]'::json, 'variants', '[]'::json, 'disabled', false)
      where project = 'other' and environment = 'development'`);
    await set('production', { constraints: constraints(5_000) });
    await expect(set('production', { constraints: constraints(20_000) })).rejects.toMatchObject(exceeded);
    await expect(set('*', { constraints: constraints(5_000) })).rejects.toMatchObject(exceeded);
    await remove('qa');
    const addition = {
      projectId,
      environment: 'qa',
      defaultStrategy: { ...strategy, constraints: constraints(5_000) },
    };
    await expect(rig.ask(contracts.addProjectEnvironment, addition)).rejects.toMatchObject(exceeded);
    await rig.ask(contracts.addProjectEnvironment, { projectId, environment: 'qa' });
    const clone = { name: 'copy', type: 'test', projects: [projectId] };
    await expect(rig.ask(contracts.cloneEnvironment, { name: 'production', clone })).rejects.toMatchObject(exceeded);
    await rig.database.rows("update flags.project_environments set default_strategy = null where project = 'other'");
    await set('production');
  });

  it.each([
    [{ name: 'default' }, '.name'],
    [{ parameters: { rollout: '101' } }, '.parameters'],
    [{ constraints: [{ contextName: 'age', operator: 'NUM_GT', value: 'old' }] }, '.constraints[0]'],
    [{ segments: [4711] }, '.segments'],
  ])('is checked like a strategy of a flag: %j', async (changes, property) => {
    await expect(set('development', changes)).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining(property),
    });
  });

  it('needs an environment of a project', async () => {
    await expect(set('off')).rejects.toMatchObject({ code: 'not-found' });
    await expect(set('development', {}, 'nowhere')).rejects.toMatchObject({ code: 'not-found' });
  });
});
