// Proves the administration of environments over a real bus: what each operation stores, answers, refuses and emits.
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

let rig: OwnFlagsRig;

beforeAll(async () => {
  const limit = { UNLEASH_ENVIRONMENTS_LIMIT: '12' };
  rig = await startOwnFlagsRig(limit);
});
afterAll(() => rig?.stop());

const create = (name: string, properties: object = {}) =>
  rig.ask(contracts.createEnvironment, { name, type: 'test', ...properties });
const remove = (name: string) => rig.ask(contracts.deleteEnvironment, { name });
const get = (name: string) => rig.ask(contracts.getEnvironment, { name });
const eventsOf = async (name: string) =>
  (await rig.events()).filter(({ environment, featureName }) => environment === name && featureName === null);

describe('an environment', () => {
  it('is last and on when it is made, and its event has all of it', async () => {
    const stored = { name: 'qa', type: 'test', sortOrder: 3, enabled: true, protected: false, requiredApprovals: null };
    expect(await create('qa')).toEqual(stored);
    expect(await get('qa')).toEqual(stored);
    const [event] = await eventsOf('qa');
    expect(event).toMatchObject({ type: 'environment-created', project: null, data: stored, preData: null });
  });

  it('has the properties that the caller gives', async () => {
    const given = { type: 'anything', enabled: false, sortOrder: -4, requiredApprovals: null };
    expect(await create('given', given)).toMatchObject({ name: 'given', ...given });
    expect(await remove('given')).toEqual({});
  });

  it.each(['', '.', '..', '__proto__', 'a b', 'a/b', 'é', 'x'.repeat(101)])('has no name %j', async (name) => {
    await expect(create(name)).rejects.toMatchObject({ code: 'validation' });
    await expect(rig.ask(contracts.validateEnvironmentName, { name })).rejects.toMatchObject({ code: 'validation' });
  });

  it('has a name of its own', async () => {
    await expect(create('qa')).rejects.toMatchObject({ code: 'name-exists', message: expect.stringContaining('"qa"') });
    await expect(rig.ask(contracts.validateEnvironmentName, { name: 'qa' })).rejects.toMatchObject({
      code: 'name-exists',
    });
    await rig.ask(contracts.validateEnvironmentName, { name: 'free' });
  });

  it('has one creator of twenty, and the others end with name-exists', async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => create('raced')));
    const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(lost).toEqual(Array.from({ length: 19 }, () => 'name-exists'));
    expect(await eventsOf('raced')).toHaveLength(1);
    await remove('raced');
  });

  it('is changed with an event, and an update that changes nothing emits nothing', async () => {
    const update = { name: 'qa', type: 'preproduction', sortOrder: 9, requiredApprovals: null };
    const before = await get('qa');
    expect(await rig.ask(contracts.updateEnvironment, update)).toEqual({ ...before, ...update });
    expect(await rig.ask(contracts.updateEnvironment, update)).toEqual({ ...before, ...update });
    expect(await rig.ask(contracts.updateEnvironment, { name: 'qa', sortOrder: 8 })).toMatchObject({
      type: 'preproduction',
      sortOrder: 8,
    });
    const [, changed, again, ...others] = await eventsOf('qa');
    expect(changed).toMatchObject({ type: 'environment-updated', preData: before, data: { ...before, ...update } });
    expect(again).toMatchObject({ preData: { sortOrder: 9 }, data: { sortOrder: 8 } });
    expect(others).toEqual([]);
  });

  it('is switched off and on with an event each', async () => {
    for (const enabled of [false, false, true]) await rig.ask(contracts.enableEnvironment, { name: 'qa', enabled });
    const events = (await eventsOf('qa')).slice(3);
    expect(events.map(({ data }) => data?.enabled)).toEqual([false, true]);
  });

  it('has its place by sort order and name, and orders of an unknown one change nothing', async () => {
    const sort = (sortOrders: Record<string, number>) => rig.ask(contracts.sortEnvironments, { sortOrders });
    await sort({ qa: 0, production: 1, development: 1 });
    const { environments } = await rig.ask(contracts.listEnvironmentNames, {});
    expect(environments).toEqual(['qa', 'development', 'production']);
    await expect(sort({ qa: 5, nowhere: 1 })).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('nowhere'),
    });
    expect((await get('qa')).sortOrder).toBe(0);
    expect((await eventsOf('production')).map(({ type }) => type)).toEqual(['environment-updated']);
    expect(await eventsOf('development')).toEqual([]);
  });

  it('is listed with the numbers of its projects and of the flags that are on', async () => {
    const featureName = 'counted';
    await rig.ask(contracts.createFeature, { projectId: 'default', name: featureName });
    await rig.ask(contracts.switchEnvironment, {
      projectId: 'default',
      featureName,
      environment: 'production',
      enabled: true,
    });
    const { environments } = await rig.ask(contracts.listEnvironments, {});
    expect(environments.map((each) => [each.name, each.projectCount, each.enabledToggleCount])).toEqual([
      ['qa', 0, 0],
      ['development', 1, 0],
      ['production', 1, 1],
    ]);
  });

  it('is not deleted while a project has it or it is protected', async () => {
    await expect(remove('production')).rejects.toMatchObject({
      code: 'conflict',
      message: 'The environment "production" is in these projects: "default". Remove it from them first.',
    });
    await create('kept');
    await rig.db.kysely.updateTable('environments').set({ protected: true }).where('name', '=', 'kept').execute();
    await expect(remove('kept')).rejects.toMatchObject({ code: 'operation-denied' });
  });

  it('is deleted with an event', async () => {
    const before = await get('qa');
    await remove('qa');
    await expect(get('qa')).rejects.toMatchObject({ code: 'not-found' });
    expect((await eventsOf('qa')).at(-1)).toMatchObject({ type: 'environment-deleted', data: null, preData: before });
  });

  it('that does not exist is not found', async () => {
    const name = 'nowhere';
    for (const ask of [
      () => get(name),
      () => remove(name),
      () => rig.ask(contracts.updateEnvironment, { name }),
      () => rig.ask(contracts.enableEnvironment, { name, enabled: true }),
    ]) {
      await expect(ask()).rejects.toMatchObject({ code: 'not-found', message: expect.stringContaining('"nowhere"') });
    }
  });

  it('is refused above the limit, also by concurrent creators', async () => {
    const { environments } = await rig.ask(contracts.listEnvironmentNames, {});
    const names = Array.from({ length: 20 }, (_, index) => `many-${index}`);
    const results = await Promise.allSettled(names.map((name) => create(name)));
    const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(results.length - lost.length).toBe(12 - environments.length);
    for (const error of lost) {
      expect(error).toMatchObject({ code: 'limit-exceeded', message: expect.stringContaining('12 environments') });
    }
  });
});
