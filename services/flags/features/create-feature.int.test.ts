import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { longTest } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editor, flagCalls } from '../testing/flag-calls.ts';
import { contextOf, type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';

const projectId = 'default';
const viewer: Actor = { kind: 'user', id: 8, username: 'viewer', grants: [] };

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const { newFlag, get, patch, revisions } = flagCalls(() => rig);

/** The flags of each frame in which the list of a project is sent. */
async function listed(project: string): Promise<contracts.Feature[][]> {
  const frames = rig.bus.requestItems(contracts.listFeatures, { projectId: project }, contextOf(editor));
  return Array.fromAsync(frames, (items) => JSON.parse(`[${Buffer.from(items).toString()}]`));
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
    // The read of one flag also counts its evaluations.
    const environments = feature.environments.map((one) => ({ ...one, yes: 0, no: 0 }));
    expect(await get('whole_view')).toEqual({ ...feature, environments });
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

  longTest('the flags of a project by name in pieces of at most 100, without the archived ones', async () => {
    await rig.db.kysely.insertInto('projects').values({ id: 'large', name: 'Large' }).execute();
    const names = Array.from({ length: 150 }, (_, index) => `large-${String(index).padStart(3, '0')}`);
    for (const name of names) await rig.ask(contracts.createFeature, { projectId: 'large', name });
    await rig.ask(contracts.patchFeature, {
      projectId: 'large',
      featureName: 'large-007',
      operations: [{ op: 'replace', path: '/archived', value: true }],
    });
    const frames = await listed('large');
    expect(Math.max(...frames.map((features) => features.length))).toBeLessThanOrEqual(100);
    expect(frames.flatMap((features) => features.map(({ name }) => name))).toEqual(
      names.filter((name) => name !== 'large-007'),
    );
  });

  it('no frame for a project without flags, and not-found for a missing project', async () => {
    await rig.db.kysely.insertInto('projects').values({ id: 'empty', name: 'Empty' }).execute();
    expect(await listed('empty')).toEqual([]);
    expect(await rig.ask(contracts.listFeatures, { projectId: 'empty' })).toEqual({ features: [] });
    await expect(rig.ask(contracts.listFeatures, { projectId: 'nowhere' })).rejects.toMatchObject({
      code: 'not-found',
    });
  });
});
