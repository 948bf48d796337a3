// Proves what happens to flags when a project gets or loses an environment: stored rows, revisions, what readers of
// snapshots forget, and events.
import * as contracts from '@yardarm/shared/contracts/flags';
import { isLongRun, longTest } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

let rig: OwnFlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const projectId = 'default';
const add = (environment: string, properties: object = {}, project = projectId) =>
  rig.ask(contracts.addProjectEnvironment, { projectId: project, environment, ...properties });
const remove = (environment: string, project = projectId) =>
  rig.ask(contracts.removeProjectEnvironment, { projectId: project, environment });
const makeEnvironment = (name: string, enabled = true) =>
  rig.ask(contracts.createEnvironment, { name, type: 'test', enabled });
const makeFlag = (name: string) => rig.ask(contracts.createFeature, { projectId, name });
const archive = (featureName: string) =>
  rig.ask(contracts.patchFeature, {
    projectId,
    featureName,
    operations: [{ op: 'replace', path: '/archived', value: true }],
  });
const describeAs = (featureName: string, value: string) =>
  rig.ask(contracts.patchFeature, {
    projectId,
    featureName,
    operations: [{ op: 'replace', path: '/description', value }],
  });
const switchOn = (featureName: string, environment: string) =>
  rig.ask(contracts.switchEnvironment, { projectId, featureName, environment, enabled: true });
const getFlag = (featureName: string) => rig.ask(contracts.getFeature, { projectId, featureName });
const environmentsOf = async (featureName: string) => (await getFlag(featureName)).environments.map(({ name }) => name);
const revisionOf = async (environment: string): Promise<number | undefined> =>
  (await rig.ask(contracts.listRevisions, {})).environments[environment]?.[projectId];
const snapshot = async (environment: string, revision?: number) => {
  const { epoch } = await rig.ask(contracts.listRevisions, {});
  const known = revision === undefined ? null : { epoch, revisions: { [projectId]: revision } };
  const { isWhole, changed, removed } = await rig.ask(contracts.fetchSnapshot, { environment, known });
  return {
    isWhole,
    ...{ changed: changed.map(({ feature }) => feature.name), removed: removed.map(({ name }) => name) },
  };
};
const versionOf = async (name: string) => {
  const [row] = await rig.database.rows<{ version: number }>(
    'select version::integer from flags.features where name = $1',
    [name],
  );
  return row!.version;
};
const eventsOf = async (environment: string) =>
  (await rig.events()).filter((event) => event.environment === environment && event.project !== null);

describe('an environment that a project adds', () => {
  it('has all flags of the project, off, and a counter from the start', async () => {
    await makeFlag('first');
    await makeFlag('shelved');
    await archive('shelved');
    const version = await versionOf('first');
    await makeEnvironment('qa');
    await add('qa');
    expect((await getFlag('first')).environments.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['development', false],
      ['production', false],
      ['qa', false],
    ]);
    const shelved = { projectId, featureName: 'shelved', environment: 'qa' };
    expect(await rig.ask(contracts.getFeatureEnvironment, shelved)).toMatchObject({ name: 'qa', enabled: false });
    expect(await versionOf('first')).toBe(version + 1);
    expect(await revisionOf('qa')).toBe(1);
    expect(await snapshot('qa')).toEqual({ isWhole: true, changed: ['first'], removed: [] });
    expect(await eventsOf('qa')).toMatchObject([
      { type: 'project-environment-added', project: projectId, featureName: null, data: null, preData: null },
    ]);
  });

  it('has flags that are made or revived later', async () => {
    await makeFlag('later');
    expect(await environmentsOf('later')).toContain('qa');
    const operations = [{ op: 'replace' as const, path: '/archived', value: false }];
    await rig.ask(contracts.patchFeature, { projectId, featureName: 'shelved', operations });
    expect((await snapshot('qa')).changed).toEqual(['first', 'later', 'shelved']);
  });

  it('is refused when the project has it, when it is off and when it does not exist', async () => {
    await makeEnvironment('off', false);
    await expect(add('qa')).rejects.toMatchObject({ code: 'name-exists', message: expect.stringContaining('"qa"') });
    await expect(add('off')).rejects.toMatchObject({ code: 'bad-data', message: expect.stringContaining('"off"') });
    await expect(add('none')).rejects.toMatchObject({ code: 'bad-data', message: expect.stringContaining('"none"') });
    await expect(add('qa', {}, 'nowhere')).rejects.toMatchObject({ code: 'not-found' });
    await expect(add('qa', { changeRequestsEnabled: true })).rejects.toMatchObject({ code: 'validation' });
  });

  it('accepts that it has no change requests, and nothing else', async () => {
    const configure = (environment: string, changeRequestsEnabled: boolean) =>
      rig.ask(contracts.configureChangeRequests, { projectId, environment, changeRequestsEnabled });
    expect(await configure('qa', false)).toEqual({});
    await expect(configure('qa', true)).rejects.toMatchObject({ code: 'conflict' });
    await expect(configure('none', false)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('stays in the project when it is switched off', async () => {
    await rig.ask(contracts.enableEnvironment, { name: 'qa', enabled: false });
    await switchOn('first', 'qa');
    expect((await snapshot('qa')).changed).toContain('first');
  });

  it('is listed with what the project has in it, beside those that it has not', async () => {
    const { environments: listed } = await rig.ask(contracts.listProjectEnvironments, { projectId });
    expect(listed.map((each) => [each.name, each.visible, each.enabled, each.projectEnabledToggleCount])).toEqual([
      ['development', true, true, 0],
      ['production', true, true, 0],
      ['qa', true, false, 1],
      ['off', false, false, 0],
    ]);
    await expect(rig.ask(contracts.listProjectEnvironments, { projectId: 'nowhere' })).rejects.toMatchObject({
      code: 'not-found',
    });
  });
});

describe('an environment that a project removes', () => {
  it('takes what the flags had in it, and readers forget the flags', async () => {
    const place = { projectId, featureName: 'first', environment: 'qa' };
    const ofCountry = { name: 'of a country', constraints: [], project: null };
    const kept = await rig.ask(contracts.createSegment, { ...ofCountry, name: 'kept' });
    const deleted = await rig.ask(contracts.createSegment, { ...ofCountry, name: 'deleted' });
    for (const [title, segments] of [
      ['one', [kept.id]],
      ['two', [deleted.id]],
    ] as const)
      await rig.ask(contracts.addStrategy, { ...place, strategy: { name: 'default', title, segments: [...segments] } });
    await rig.ask(contracts.replaceVariants, { ...place, variants: [{ name: 'blue', weight: 1 }] });
    const before = (await revisionOf('qa'))!;
    const version = await versionOf('first');
    await remove('qa');
    expect(await environmentsOf('first')).toEqual(['development', 'production']);
    expect(await versionOf('first')).toBe(version + 1);
    expect(await revisionOf('qa')).toBe(before + 1);
    expect(await snapshot('qa', before)).toEqual({
      isWhole: false,
      changed: [],
      removed: ['first', 'later', 'shelved'],
    });
    expect(await snapshot('qa')).toEqual({ isWhole: true, changed: [], removed: [] });
    expect((await eventsOf('qa')).at(-1)).toMatchObject({
      type: 'project-environment-removed',
      project: projectId,
      preData: { features: 1, strategies: 3 },
    });
    expect((await rig.ask(contracts.getSegment, { id: deleted.id })).usedInFeatures).toBe(0);
    await rig.ask(contracts.deleteSegment, { id: deleted.id });
    await expect(switchOn('first', 'qa')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('has what the flags had in it, off, when the project adds it again, and its counter continues', async () => {
    const before = (await revisionOf('qa'))!;
    await rig.ask(contracts.enableEnvironment, { name: 'qa', enabled: true });
    await add('qa');
    expect(await revisionOf('qa')).toBe(before + 1);
    expect(await snapshot('qa', before)).toEqual({
      isWhole: false,
      changed: ['first', 'later', 'shelved'],
      removed: [],
    });
    const environment = (await getFlag('first')).environments.find(({ name }) => name === 'qa');
    // Without its segment the strategy would be on for everybody.
    expect(environment).toMatchObject({
      enabled: false,
      strategies: [
        { name: 'flexibleRollout', disabled: false },
        { title: 'one', disabled: false, segments: [expect.any(Number)] },
        { title: 'two', disabled: true, segments: [] },
      ],
      variants: [{ name: 'blue', weight: 1000 }],
    });
    expect((await eventsOf('qa')).at(-1)).toMatchObject({ data: { features: 1, strategies: 3 } });
  });

  it('is refused when the project has it not', async () => {
    await expect(remove('off')).rejects.toMatchObject({ code: 'not-found', message: expect.stringContaining('"off"') });
    await expect(remove('nowhere')).rejects.toMatchObject({ code: 'not-found' });
    await expect(remove('qa', 'nowhere')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('continues its counter after it was deleted and made again', async () => {
    const before = (await revisionOf('qa'))!;
    await remove('qa');
    await rig.ask(contracts.deleteEnvironment, { name: 'qa' });
    expect((await rig.ask(contracts.listRevisions, {})).environments).not.toHaveProperty('qa');
    await makeEnvironment('qa');
    expect(await revisionOf('qa')).toBe(before + 1);
    await add('qa');
    const [made] = (await getFlag('first')).environments.filter(({ name }) => name === 'qa');
    expect(made).toMatchObject({ strategies: [], variants: [] });
    expect(await revisionOf('qa')).toBe(before + 2);
  });

  it('is removed by one of ten requests', async () => {
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => remove('qa')));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await add('qa');
  });

  it('and changes of its flags at the same time end in order, without an internal error', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `raced-${index}`);
    for (const name of names) await makeFlag(name);
    for (let round = 0; round < 5; round++) {
      const results = await Promise.allSettled([
        ...names.map((name) => switchOn(name, 'qa')),
        ...names.map((name) => describeAs(name, `round ${round}`)),
        remove('qa'),
        makeFlag(`new-${round}`),
        ...names.map((name) => switchOn(name, 'qa')),
      ]);
      const codes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
      expect(codes.filter((code) => code !== 'not-found')).toEqual([]);
      await add('qa');
      expect(await environmentsOf(`new-${round}`)).toContain('qa');
    }
  });
});

/** In a long run the flags of the largest project. */
const many = isLongRun ? 5_000 : 1_000;

longTest(
  'many flags get and lose an environment while other requests succeed',
  async () => {
    await rig.database.rows(`
    insert into flags.features (name, project, type, impression_data, created_by_user_id)
      select 'many-' || n, 'default', 'release', false, -42 from generate_series(1, ${many}) n;
    insert into flags.feature_lifecycle (feature_name, stage)
      select name, 'initial' from flags.features where name like 'many-%';
    insert into flags.feature_environments (feature_name, environment, project, enabled)
      select f.name, pe.environment, 'default', pe.environment <> 'development' from flags.features f
      join flags.project_environments pe on pe.project = 'default' where f.name like 'many-%';
    insert into flags.feature_strategies (
      feature_name, environment, name, disabled, sort_order, parameters, constraints, variants)
      select feature_name, environment, 'flexibleRollout', false, 0, '{"rollout":"100"}', '[]', '[]'
      from flags.feature_environments where feature_name like 'many-%';
    analyze`);
    await makeEnvironment('wide');
    for (const change of [() => remove('qa'), () => add('wide'), () => remove('wide'), () => add('qa')]) {
      const changed = change();
      const others = Array.from({ length: 20 }, (_, index) => switchOn(`many-${index + 1}`, 'development'));
      const results = await Promise.allSettled([...others, makeFlag(`other-${crypto.randomUUID()}`)]);
      expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
      await changed;
    }
    expect((await snapshot('qa')).changed.length).toBeGreaterThan(many);
    expect((await snapshot('wide')).changed).toEqual([]);
  },
  60_000,
);
