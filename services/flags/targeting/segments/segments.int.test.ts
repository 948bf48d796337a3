// Proves segments over a real bus and Postgres: answers, permissions, events, what SDKs get. Races have a file of their
// own.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';
const ofUser = (...values: string[]) => ({ contextName: 'userId', operator: 'IN' as const, values });
const stored = (...values: string[]) => ({ ...ofUser(...values), caseInsensitive: false, inverted: false });
const owner: Actor = {
  ...{ kind: 'user', id: 9, username: 'owner', email: 'owner@example.com' },
  grants: [{ permissions: ['UPDATE_PROJECT_SEGMENT'], projects: [projectId] }],
};

let rig: OwnFlagsRig;
let count = 0;

beforeAll(async () => {
  rig = await startOwnFlagsRig({
    UNLEASH_SEGMENTS_LIMIT: '40',
    UNLEASH_SEGMENT_VALUES_LIMIT: '3',
  });
});
afterAll(() => rig?.stop());

type Input = Parameters<typeof inputOf>[0];
const inputOf = (
  changes: { name?: string; project?: string | null; constraints?: ReturnType<typeof ofUser>[] } = {},
) => {
  count += 1;
  return { name: `segment-${count}`, constraints: [ofUser('1')], ...changes };
};
const create = (changes?: Input, actor?: Actor) => rig.ask(contracts.createSegment, inputOf(changes), actor);
const update = (id: number, changes: Input & { name: string }, actor?: Actor) =>
  rig.ask(contracts.updateSegment, { constraints: [ofUser('1')], ...changes, id }, actor);
const get = (id: number) => rig.ask(contracts.getSegment, { id });
const remove = (id: number, actor?: Actor) => rig.ask(contracts.deleteSegment, { id }, actor);
const eventsOf = async (id: number) =>
  (await rig.events()).filter(({ data, preData }) => (data ?? preData)?.id === id && !(data ?? preData)?.parameters);

async function newFlag(): Promise<string> {
  count += 1;
  const name = `segmented-${count}`;
  await rig.ask(contracts.createFeature, { projectId, name });
  return name;
}

const use = (featureName: string, segments: number[], environment = 'production') =>
  rig.ask(contracts.addStrategy, {
    ...{ projectId, featureName, environment },
    strategy: { name: 'default', segments },
  });
const snapshot = async (environment: string, known: { epoch: string; revisions: Record<string, number> } | null) => {
  const { epoch, revisions, ...change } = await rig.ask(contracts.fetchSnapshot, { environment, known });
  return {
    known: { epoch, revisions },
    ...{ changed: change.changed, segments: change.changedSegments, removed: change.removedSegments },
  };
};

describe('a new segment', () => {
  it('is answered, read and listed alike, with an event', async () => {
    const input = { ...inputOf(), description: 'd', project: projectId };
    const segment = await rig.ask(contracts.createSegment, input, owner);
    expect(segment).toEqual({
      ...{ id: expect.any(Number), name: input.name, description: 'd', project: projectId },
      ...{ constraints: [stored('1')], createdBy: 'owner@example.com', createdAt: expect.any(String) },
      ...{ usedInFeatures: 0, usedInProjects: 0 },
    });
    expect(await get(segment.id)).toEqual(segment);
    expect((await rig.ask(contracts.listSegments, {})).segments).toContainEqual(segment);
    const { usedInFeatures, usedInProjects, ...data } = segment;
    expect(await eventsOf(segment.id)).toMatchObject([
      { type: 'segment-created', project: projectId, data, preData: null, createdBy: 'owner@example.com' },
    ]);
  });

  it('needs a name that no other has, of which one of twenty creators gets it', async () => {
    const { name } = await create();
    await expect(create({ name })).rejects.toMatchObject({ code: 'name-exists' });
    await expect(rig.ask(contracts.validateSegmentName, { name })).rejects.toMatchObject({ code: 'name-exists' });
    await rig.ask(contracts.validateSegmentName, { name: 'a new name' });
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => create({ name: 'raced' })));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it.each([
    ['an empty name', { name: ' ' }, '.name'],
    ['a long name', { name: 'n'.repeat(101) }, '.name'],
    ['an unknown project', { project: 'nowhere' }, '"nowhere"'],
    ['values above the limit', { constraints: [ofUser('1', '2'), ofUser('3', '4')] }, '3'],
    ['31 constraints', { constraints: Array(31).fill(ofUser()) }, '30'],
    [
      'a value that SDKs cannot compare',
      { constraints: [{ contextName: 'a', operator: 'NUM_EQ', value: 'x' }] },
      '"x"',
    ],
  ])('is refused with %s', async (_, changes, named) => {
    await expect(create(changes as Input)).rejects.toThrow(named);
  });

  it('needs CREATE_SEGMENT, or the permission of its project', async () => {
    await create({ project: projectId }, owner);
    const refused = { code: 'no-access', message: expect.stringContaining('CREATE_SEGMENT') };
    await expect(create({}, owner)).rejects.toMatchObject(refused);
    await expect(create({ project: 'nowhere' }, owner)).rejects.toMatchObject(refused);
  });
});

describe('an update', () => {
  it('changes every property and emits one event; the same again changes nothing', async () => {
    const { id, createdBy, createdAt, ...before } = await create();
    const changes = { name: `${before.name}-b`, description: 'd', project: projectId, constraints: [ofUser('2')] };
    await update(id, changes);
    await update(id, changes);
    const after = { ...before, ...changes, constraints: [stored('2')], id, createdBy, createdAt };
    expect(await get(id)).toEqual(after);
    const [, ...events] = await eventsOf(id);
    const { usedInFeatures, usedInProjects, ...data } = after;
    expect(events).toMatchObject([{ type: 'segment-updated', data, preData: { name: before.name, project: null } }]);
  });

  it('needs the permission for the segment before and after', async () => {
    const ofAll = await create();
    const ofProject = await create({ project: projectId });
    const refused = { code: 'no-access', message: expect.stringContaining('UPDATE_SEGMENT') };
    await expect(update(ofAll.id, { name: 'x', project: projectId }, owner)).rejects.toMatchObject(refused);
    await expect(update(ofProject.id, { name: 'x' }, owner)).rejects.toMatchObject(refused);
    await expect(update(999_999, { name: 'x' }, owner)).rejects.toMatchObject(refused);
    await update(ofProject.id, { name: ofProject.name, project: projectId, constraints: [] }, owner);
  });

  it('is refused for an unknown segment and a name that another has', async () => {
    const [one, other] = [await create(), await create()];
    await expect(update(999_999, { name: 'x' })).rejects.toMatchObject({ code: 'not-found' });
    await expect(update(one.id, { name: other.name })).rejects.toMatchObject({ code: 'name-exists' });
    expect(await get(one.id)).toEqual(one);
  });

  it('cannot restrict a segment to a project while flags of others use it', async () => {
    await rig.db.kysely.insertInto('projects').values({ id: 'other', name: 'Other', description: null }).execute();
    const segment = await create();
    await use(await newFlag(), [segment.id]);
    await expect(update(segment.id, { name: segment.name, project: 'other' })).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringMatching(/"other".*\(default\)/),
    });
    await update(segment.id, { name: segment.name, project: projectId });
    await update(segment.id, { name: segment.name, project: null });
  });
});

describe('a segment in use', () => {
  it('is listed with its uses and with the strategy', async () => {
    const segment = await create();
    const [one, other] = [await newFlag(), await newFlag()];
    const strategies = [await use(one, [segment.id]), await use(one, [segment.id], 'development')];
    strategies.push(await use(other, [segment.id]));
    expect(await get(segment.id)).toMatchObject({ usedInFeatures: 2, usedInProjects: 1 });
    const uses = (await rig.ask(contracts.listStrategiesOfSegment, { id: segment.id })).strategies;
    expect(uses.map(({ id }) => id).sort()).toEqual(strategies.map(({ id }) => id).sort());
    expect(uses[0]).toEqual({
      ...{ id: strategies[1]!.id, featureName: one, projectId, environment: 'development', strategyName: 'default' },
    });
    const strategyId = strategies[0]!.id;
    const { segments } = await rig.ask(contracts.listSegmentsOfStrategy, { strategyId });
    expect(segments).toMatchObject([{ id: segment.id, usedInFeatures: 2 }]);
  });

  it('cannot be deleted; a deleted one is unknown, with an event', async () => {
    const segment = await create({ project: projectId });
    const flag = await newFlag();
    const strategy = await use(flag, [segment.id]);
    await expect(remove(segment.id)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`${strategy.id} of the flag ${flag} in production`),
    });
    await rig.ask(contracts.deleteStrategy, {
      ...{ projectId, featureName: flag, environment: 'production', strategyId: strategy.id },
    });
    await remove(segment.id, owner);
    await expect(get(segment.id)).rejects.toMatchObject({ code: 'not-found' });
    await expect(remove(segment.id)).rejects.toMatchObject({ code: 'not-found' });
    expect((await eventsOf(segment.id)).at(-1)).toMatchObject({
      ...{ type: 'segment-deleted', project: projectId, data: null, preData: { name: segment.name } },
    });
  });

  it('is sent to SDKs where it is used; a change raises one counter per place and writes no flag', async () => {
    const segment = await create({ constraints: [ofUser('1')] });
    const [one, other] = [await newFlag(), await newFlag()];
    const unused = await snapshot('production', null);
    expect(unused.segments.map(({ id }) => id)).not.toContain(segment.id);

    await use(one, [segment.id]);
    await use(other, [segment.id]);
    const used = await snapshot('production', unused.known);
    expect(used.changed.map(({ feature }) => feature.name)).toEqual([one, other]);
    expect(used.segments).toMatchObject([{ id: segment.id, project: projectId, constraints: [stored('1')] }]);

    const development = await snapshot('development', null);
    await update(segment.id, { name: segment.name, constraints: [ofUser('2')] });
    const changed = await snapshot('production', used.known);
    expect(changed.known.revisions[projectId]).toBe(used.known.revisions[projectId]! + 1);
    expect(changed.changed).toEqual([]);
    expect(changed.segments).toMatchObject([{ id: segment.id, constraints: [stored('2')] }]);
    expect((await snapshot('development', development.known)).known).toEqual(development.known);

    await update(segment.id, { name: segment.name, constraints: [ofUser('2')], project: projectId });
    expect((await snapshot('production', changed.known)).known).toEqual(changed.known);
  });
});

describe('an unknown id', () => {
  it('is not found', async () => {
    const unknown = { code: 'not-found', message: expect.stringContaining('999999') };
    await expect(get(999_999)).rejects.toMatchObject(unknown);
    await expect(rig.ask(contracts.listStrategiesOfSegment, { id: 999_999 })).rejects.toMatchObject(unknown);
    for (const strategyId of ['999999', '00000000-0000-4000-8000-000000999999'])
      await expect(rig.ask(contracts.listSegmentsOfStrategy, { strategyId })).rejects.toMatchObject(unknown);
  });
});

it('of concurrent creators at the limit one succeeds', async () => {
  const present = (await rig.ask(contracts.listSegments, {})).segments.length;
  for (let next = present; next < 39; next += 1) await create();
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => create()));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const lost = results.flatMap((result) => (result.status === 'rejected' ? result.reason : []));
  for (const reason of lost) expect(reason).toMatchObject({ code: 'limit-exceeded' });
});
