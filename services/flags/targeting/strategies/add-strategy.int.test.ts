import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagCalls } from '../../testing/flag-calls.ts';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';
const viewer: Actor = { kind: 'user', id: 8, username: 'viewer', grants: [] };

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const { newFlag, get, switchFlag, add, typesOf, revisions } = flagCalls(() => rig);

describe('strategies', () => {
  it('are added last, with an event of the environment, and change a revision', async () => {
    const name = await newFlag();
    await add(name, { name: 'default', sortOrder: 4 });
    const before = await revisions();
    const sent = {
      name: 'flexibleRollout',
      title: 'Half',
      parameters: { rollout: 50 },
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
    };
    const strategy = await add(name, sent);
    expect(strategy).toMatchObject({
      name: 'flexibleRollout',
      title: 'Half',
      featureName: name,
      sortOrder: 5,
      parameters: { rollout: '50', stickiness: 'default', groupId: name },
      constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'], inverted: false, caseInsensitive: false }],
    });
    const event = (await rig.events(name)).at(-1);
    expect(event).toMatchObject({ type: 'feature-strategy-add', environment: 'development', preData: null });
    expect(event?.data).toEqual(strategy);
    expect((await get(name)).environments[0]?.strategies.map(({ id }) => id).at(-1)).toBe(strategy.id);
    expect(await revisions()).toEqual({ ...before, development: before.development! + 1 });
  });

  it('that are disabled emit an event, but change nothing for SDKs', async () => {
    const name = await newFlag();
    const before = await revisions();
    await add(name, { name: 'default', disabled: true });
    expect(await revisions()).toEqual(before);
    expect(await typesOf(name)).toEqual(['feature-created', 'feature-strategy-add']);
    expect((await get(name)).environments[0]).toMatchObject({ hasStrategies: true, hasEnabledStrategies: false });
  });

  it('are refused in an environment that the project does not have, naming it', async () => {
    const name = await newFlag();
    await expect(add(name, { name: 'default' }, 'staging')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('"staging"'),
    });
  });

  it('are at most 30 in an environment', async () => {
    const name = await newFlag();
    for (let count = 0; count < 30; count += 1) await add(name, { name: 'default' });
    await expect(add(name, { name: 'default' })).rejects.toMatchObject({ code: 'limit-exceeded' });
    const { environments } = await get(name);
    expect(environments.map(({ strategies }) => strategies.length)).toEqual([30, 0]);
    expect(await add(name, { name: 'default' }, 'production')).toMatchObject({ name: 'default', sortOrder: 0 });
  });

  it('need CREATE_FEATURE_STRATEGY in the environment they are for', async () => {
    const featureName = await newFlag();
    const grant: Actor['grants'][number] = {
      permissions: ['CREATE_FEATURE_STRATEGY'],
      projects: [projectId],
      environment: 'development',
    };
    const actor: Actor = { ...viewer, grants: [grant] };
    const input = { projectId, featureName, strategy: { name: 'default' } };
    const added = await rig.ask(contracts.addStrategy, { ...input, environment: 'development' }, actor);
    await expect(rig.ask(contracts.addStrategy, { ...input, environment: 'production' }, actor)).rejects.toMatchObject({
      code: 'no-access',
      message: expect.stringMatching(/"CREATE_FEATURE_STRATEGY".*"production" environment/),
    });
    const { environments } = await get(featureName);
    expect(environments.map(({ strategies }) => strategies.map(({ id }) => id))).toEqual([[added.id], []]);
  });
});

describe('switching a flag in an environment', () => {
  it('on without a strategy adds the default one, and emits both events', async () => {
    const name = await newFlag();
    const feature = await switchFlag(name, 'production', true);
    expect(feature.enabled).toBe(true);
    expect(feature.environments.map(({ enabled }) => enabled)).toEqual([false, true]);
    expect(feature.environments[1]?.strategies).toMatchObject([
      { name: 'flexibleRollout', parameters: { rollout: '100', stickiness: 'default', groupId: name } },
    ]);
    const [, added, enabled] = await rig.events(name);
    expect(added).toMatchObject({ type: 'feature-strategy-add', environment: 'production' });
    expect(enabled).toMatchObject({
      type: 'feature-environment-enabled',
      environment: 'production',
      data: null,
      preData: null,
    });
  });

  it('on with only a disabled strategy also adds the default one, because SDKs would get none', async () => {
    const name = await newFlag();
    await add(name, { name: 'userWithId', disabled: true });
    const feature = await switchFlag(name, 'development', true);
    expect(feature.environments[0]?.strategies.map((strategy) => [strategy.name, strategy.disabled])).toEqual([
      ['userWithId', true],
      ['flexibleRollout', false],
    ]);
  });

  it('on with a strategy adds none; to the present state emits nothing', async () => {
    const name = await newFlag();
    await add(name, { name: 'default' });
    await switchFlag(name, 'development', true);
    const before = await revisions();
    await switchFlag(name, 'development', true);
    expect(await revisions()).toEqual(before);
    await switchFlag(name, 'development', false);
    expect(await typesOf(name)).toEqual([
      'feature-created',
      'feature-strategy-add',
      'feature-environment-enabled',
      'feature-environment-disabled',
    ]);
    expect(await revisions()).toEqual({ ...before, development: before.development! + 1 });
  });

  it('is refused for a missing flag or environment', async () => {
    const name = await newFlag();
    await expect(switchFlag(name, 'staging', true)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('"staging"'),
    });
    await expect(switchFlag('no-such-flag', 'development', true)).rejects.toMatchObject({ code: 'not-found' });
  });
});
