// Proves the answers and events of flags over a real bus and Postgres. Races, snapshots, outages and crashes have files
// of their own; the gateway tests the HTTP API.
import { randomUUID } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from './testing/flags-rig.ts';

const projectId = 'default';
const editor: Actor = {
  kind: 'user',
  id: 7,
  username: 'ed',
  name: 'Ed Itor',
  email: 'ed@example.com',
  grants: [{ permissions: ['CREATE_FEATURE'] }, { permissions: ['UPDATE_FEATURE'], projects: [projectId] }],
};
const viewer: Actor = { kind: 'user', id: 8, username: 'viewer', grants: [] };

let rig: FlagsRig;
let flagCount = 0;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

async function newFlag(properties: Record<string, unknown> = {}): Promise<string> {
  flagCount += 1;
  const name = `flag.${flagCount}`;
  await rig.ask(contracts.createFeature, { projectId, name, ...properties });
  return name;
}

const get = (featureName: string) => rig.ask(contracts.getFeature, { projectId, featureName });
const patch = (featureName: string, changes: Record<string, unknown>, actor?: Actor) =>
  rig.ask(
    contracts.patchFeature,
    {
      projectId,
      featureName,
      operations: Object.entries(changes).map(([name, value]) => ({ op: 'replace' as const, path: `/${name}`, value })),
    },
    actor,
  );
const switchFlag = (featureName: string, environment: string, enabled: boolean) =>
  rig.ask(contracts.switchEnvironment, { projectId, featureName, environment, enabled });
const add = (featureName: string, strategy: Parameters<typeof strategyInput>[0], environment = 'development') =>
  rig.ask(contracts.addStrategy, { projectId, featureName, environment, strategy: strategyInput(strategy) });
const strategyInput = (strategy: { name: string } & Record<string, unknown>) => strategy;

async function typesOf(featureName: string): Promise<string[]> {
  return (await rig.events(featureName)).map(({ type }) => type);
}

async function revisions(): Promise<Record<string, number>> {
  const { environments } = await rig.ask(contracts.listRevisions, {});
  return { development: environments.development?.default ?? -1, production: environments.production?.default ?? -1 };
}

describe('creating a flag', () => {
  it('returns the whole admin view with deprecated fields, off in every environment', async () => {
    const input = { projectId, name: 'whole_view', description: 'd', tags: [{ type: 'simple', value: 'blue' }] };
    const feature = await rig.ask(contracts.createFeature, input, editor);
    const environment = { featureName: 'whole_view', enabled: false, variantCount: 0, strategies: [], variants: [] };
    const unused = { lastSeenAt: null, hasStrategies: false, hasEnabledStrategies: false };
    const person = { id: 7, name: 'Ed Itor', imageUrl: expect.stringMatching(/^https:\/\/gravatar\.com\/avatar\//) };
    expect(feature).toEqual({
      name: 'whole_view',
      type: 'release',
      description: 'd',
      archived: false,
      project: projectId,
      enabled: false,
      stale: false,
      favorite: false,
      impressionData: false,
      createdAt: expect.any(String),
      createdBy: person,
      archivedAt: null,
      lastSeenAt: null,
      environments: [
        {
          name: 'development',
          environment: 'development',
          type: 'development',
          sortOrder: 1,
          ...environment,
          ...unused,
        },
        { name: 'production', environment: 'production', type: 'production', sortOrder: 2, ...environment, ...unused },
      ],
      variants: [],
      strategies: [],
      tags: [{ type: 'simple', value: 'blue' }],
      children: [],
      lifecycle: { stage: 'initial', enteredStageAt: expect.any(String) },
      dependencies: [],
      collaborators: { users: [person] },
      links: [],
      version: 1,
    });
    expect(await get('whole_view')).toEqual(feature);
  });

  it('emits one event with the flag, its creator and its tags', async () => {
    const name = await newFlag({ tags: [{ type: 'simple', value: 'red' }] });
    const events = await rig.events(name);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      type: 'feature-created',
      project: projectId,
      environment: null,
      createdBy: 'root',
      createdByUserId: -42,
      tags: [{ type: 'simple', value: 'red' }],
      preData: null,
      data: {
        name,
        type: 'release',
        description: null,
        stale: false,
        archived: false,
        archivedAt: null,
        lastSeenAt: null,
      },
    });
  });

  it.each([
    [
      'a project that does not exist',
      { projectId: 'nowhere', name: 'n1' },
      'not-found',
      'Could not find the project with ID "nowhere".',
    ],
    [
      'a type that does not exist',
      { projectId, name: 'n2', type: 'relese' },
      'bad-data',
      /\.type property.*You sent "relese"/,
    ],
    ['a name that is not a URL part', { projectId, name: 'a b' }, 'validation', /\.name property.*You sent "a b"/],
    [
      'a description that Postgres cannot store',
      { projectId, name: 'n3', description: 'a\u0000' },
      'validation',
      /\.description property/,
    ],
    [
      'a description that is too long',
      { projectId, name: 'n4', description: 'x'.repeat(10_001) },
      'bad-data',
      /\.description property/,
    ],
  ])('refuses %s and writes nothing', async (_, input, code, message) => {
    const before = [await revisions(), await rig.events(input.name)];
    await expect(rig.ask(contracts.createFeature, input)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect([await revisions(), await rig.events(input.name)]).toEqual(before);
  });

  it('refuses the name of another flag, archived or not', async () => {
    const name = await newFlag();
    const again = () => rig.ask(contracts.createFeature, { projectId, name });
    await expect(again()).rejects.toMatchObject({
      code: 'name-exists',
      message: `There is already a feature called "${name}".`,
    });
    await patch(name, { archived: true });
    await expect(again()).rejects.toMatchObject({ code: 'name-exists' });
  });

  it('needs CREATE_FEATURE in the project', async () => {
    await expect(rig.ask(contracts.createFeature, { projectId, name: 'mine' }, viewer)).rejects.toMatchObject({
      code: 'no-access',
      message: expect.stringContaining('"CREATE_FEATURE"'),
    });
  });
});

describe('patching a flag', () => {
  it('emits an event for each kind of change, in one transaction, and raises each revision once', async () => {
    const name = await newFlag();
    const before = await revisions();
    const feature = await patch(name, { description: 'new', stale: true, archived: true });
    expect(feature).toMatchObject({
      description: 'new',
      stale: true,
      archived: true,
      lifecycle: { stage: 'archived' },
    });
    expect(feature.archivedAt).not.toBeNull();
    const [, updated, stale, archived, ...more] = await rig.events(name);
    expect(updated).toMatchObject({
      type: 'feature-metadata-updated',
      data: { name, description: 'new', stale: true, archived: true, archivedAt: feature.archivedAt },
      preData: { name, description: null, stale: false, archived: false, archivedAt: null },
    });
    expect(stale).toMatchObject({ type: 'feature-stale-on', data: null, preData: null });
    expect(archived).toMatchObject({ type: 'feature-archived', data: null, preData: null });
    expect(more).toEqual([]);
    expect(await revisions()).toEqual({ development: before.development! + 1, production: before.production! + 1 });
  });

  it('emits nothing, writes nothing and raises nothing when nothing changes', async () => {
    const name = await newFlag({ description: 'same' });
    const before = [await get(name), await revisions(), await typesOf(name)];
    await patch(name, { description: 'other-and-back' }).then(() => patch(name, { description: 'same' }));
    const then = await revisions();
    await patch(name, { description: 'same', stale: false, archived: false }, { ...editor, id: 99 });
    await rig.ask(contracts.patchFeature, { projectId, featureName: name, operations: [] });
    expect(await revisions()).toEqual(then);
    expect(await typesOf(name)).toEqual(['feature-created', 'feature-metadata-updated', 'feature-metadata-updated']);
    expect(await get(name)).toEqual({ ...(before[0] as object), version: 3 });
  });

  it('needs DELETE_FEATURE to archive, and applies nothing of the patch without it', async () => {
    const name = await newFlag();
    await expect(patch(name, { description: 'x', archived: true }, editor)).rejects.toMatchObject({
      code: 'no-access',
      message: expect.stringContaining('"DELETE_FEATURE"'),
    });
    expect(await get(name)).toMatchObject({ description: null, archived: false });
    expect(await typesOf(name)).toEqual(['feature-created']);
  });

  it('revives an archived flag off everywhere, in a new lifecycle, and emits where it was on', async () => {
    const name = await newFlag();
    await switchFlag(name, 'production', true);
    await patch(name, { archived: true });
    const revived = await patch(name, { archived: false });
    expect(revived).toMatchObject({
      archived: false,
      archivedAt: null,
      enabled: false,
      lifecycle: { stage: 'initial' },
    });
    const events = await rig.events(name);
    expect(events.slice(-3).map(({ type, environment }) => [type, environment])).toEqual([
      ['feature-archived', null],
      ['feature-environment-disabled', 'production'],
      ['feature-revived', null],
    ]);
  });

  it('finds an archived flag only for reading and for reviving it', async () => {
    const name = await newFlag();
    await patch(name, { archived: true });
    expect(await get(name)).toMatchObject({ archived: true });
    expect(await patch(name, { archived: true })).toMatchObject({ archived: true });
    const changes = [
      () => patch(name, { stale: true }),
      () => switchFlag(name, 'development', true),
      () => add(name, { name: 'default' }),
    ];
    for (const change of changes) await expect(change()).rejects.toMatchObject({ code: 'not-found' });
  });

  it.each([
    ['another property', { name: 'x' }, /"\/name".*"x"/],
    ['a type that does not exist', { type: 'nope' }, /\.type property.*"nope"/],
    ['a word for a switch', { stale: 'yes' }, /\/stale.*"yes"/],
  ])('refuses %s with bad-data', async (_, changes, message) => {
    const name = await newFlag();
    await expect(patch(name, changes)).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringMatching(message),
    });
    expect(await typesOf(name)).toEqual(['feature-created']);
  });

  it('does not find a flag under another project, and names a missing project', async () => {
    const name = await newFlag();
    await rig.db.kysely
      .insertInto('projects')
      .values({ id: 'other', name: 'Other' })
      .onConflict((c) => c.doNothing())
      .execute();
    const asked = (project: string) => rig.ask(contracts.getFeature, { projectId: project, featureName: name });
    await expect(asked('other')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(`name "${name}"`),
    });
    await expect(asked('nowhere')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('project with ID'),
    });
    await expect(
      rig.ask(contracts.patchFeature, { projectId: 'other', featureName: name, operations: [] }),
    ).rejects.toMatchObject({ code: 'not-found' });
  });
});

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

describe('lists', () => {
  it('feature types with their lifetimes', async () => {
    const { featureTypes } = await rig.ask(contracts.listRevisions, {});
    expect(featureTypes.map(({ id, lifetimeDays }) => [id, lifetimeDays])).toEqual([
      ['release', 40],
      ['experiment', 40],
      ['operational', 7],
      ['kill-switch', null],
      ['permission', null],
      ['sunset', 90],
    ]);
  });

  it('the flags of a project by name in pieces of at most 100, without the archived ones', async () => {
    await rig.db.kysely.insertInto('projects').values({ id: 'large', name: 'Large' }).execute();
    const names = Array.from({ length: 150 }, (_, index) => `large-${String(index).padStart(3, '0')}`);
    for (const name of names) await rig.ask(contracts.createFeature, { projectId: 'large', name });
    await rig.ask(contracts.patchFeature, {
      projectId: 'large',
      featureName: 'large-007',
      operations: [{ op: 'replace', path: '/archived', value: true }],
    });
    const pieces = await rig.askMany(contracts.listFeatures, { projectId: 'large' });
    expect(Math.max(...pieces.map(({ features }) => features.length))).toBeLessThanOrEqual(100);
    expect(pieces.flatMap(({ features }) => features.map(({ name }) => name))).toEqual(
      names.filter((name) => name !== 'large-007'),
    );
  });

  it('no piece for a project without flags, and not-found for a missing project', async () => {
    await rig.db.kysely.insertInto('projects').values({ id: 'empty', name: 'Empty' }).execute();
    expect(await rig.askMany(contracts.listFeatures, { projectId: 'empty' })).toEqual([]);
    await expect(rig.askMany(contracts.listFeatures, { projectId: 'nowhere' })).rejects.toMatchObject({
      code: 'not-found',
    });
  });
});

describe('names of the people who change flags', () => {
  const publishAccountEvent = async (
    type: string,
    data: Record<string, unknown>,
    createdAt: string,
    eventId: string = randomUUID(),
  ) => {
    const event = {
      ...{ eventId, version: 1, source: 'accounts', type, createdAt, createdBy: 'root', createdByUserId: -42 },
      ...{ createdByUsername: 'ada', environment: null, project: null, featureName: null, data, preData: null },
      ...{ tags: [], requestId: null, traceparent: null },
    };
    await rig.bus.publish(`evt.accounts.${type}`, event, { msgId: randomUUID() });
    await rig.service.processAll();
  };

  it('come from the newest event of accounts, in any order of arrival, with repetitions', async () => {
    const actor: Actor = { ...editor, id: 70 };
    const feature = await rig.ask(contracts.createFeature, { projectId, name: 'by-70' }, actor);
    expect(feature.createdBy.name).toBe('Ed Itor');
    const creatorName = async () => (await get('by-70')).createdBy.name;

    const newer = [{ id: 70, name: 'Newer' }, '2026-03-01T00:00:00Z', randomUUID()] as const;
    await publishAccountEvent('user-updated', ...newer);
    expect(await creatorName()).toBe('Newer');
    await publishAccountEvent('user-created', { id: 70, name: 'Older' }, '2026-02-01T00:00:00Z');
    expect(await creatorName()).toBe('Newer');
    await publishAccountEvent(
      'service-account-updated',
      { id: 70, name: null, username: 'newest' },
      '2026-04-01T00:00:00Z',
    );
    await publishAccountEvent('user-updated', ...newer);
    expect(await creatorName()).toBe('newest');
  });

  it('are the collaborators of the flag, the last author first', async () => {
    const name = await newFlag();
    const by = (id: number): Actor => ({ ...editor, id, name: `Person ${id}` });
    await patch(name, { stale: true }, by(71));
    await patch(name, { stale: false }, by(72));
    await patch(name, { description: 'x' }, by(71));
    const { users } = (await get(name)).collaborators;
    expect(users.map(({ id }) => id)).toEqual([71, 72, -42]);
  });
});
