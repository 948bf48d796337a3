// Proves the dependencies between flags over a real bus and Postgres, also of concurrent requests.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { longTest, propertyRuns } from '@yardarm/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';

let rig: FlagsRig;
let flagCount = 0;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

async function newFlag(): Promise<string> {
  flagCount += 1;
  const name = `related-${flagCount}`;
  await rig.ask(contracts.createFeature, { projectId, name });
  return name;
}

async function newPair(): Promise<[child: string, parent: string]> {
  return [await newFlag(), await newFlag()];
}

const add = (child: string, feature: string, rest: { enabled?: boolean; variants?: string[] } = {}, actor?: Actor) =>
  rig.ask(contracts.addDependency, { projectId, child, feature, ...rest }, actor);
const addAll = (child: string, ...parents: string[]) =>
  rig.ask(contracts.addDependency, { projectId, child, parents: parents.map((feature) => ({ feature })) });
const remove = (child: string, parent: string) => rig.ask(contracts.deleteDependency, { projectId, child, parent });
const removeAll = (child: string) => rig.ask(contracts.deleteDependencies, { projectId, child });
/** The flag, archived or not: a patch without operations finds both. */
const get = (featureName: string) => rig.ask(contracts.patchFeature, { projectId, featureName, operations: [] });
const archive = (featureName: string) =>
  rig.ask(contracts.patchFeature, {
    ...{ projectId, featureName },
    operations: [{ op: 'replace', path: '/archived', value: true }],
  });
const options = async (child: string) => (await rig.ask(contracts.listParentOptions, { projectId, child })).features;
const eventsOf = async (featureName: string) => (await rig.events(featureName)).slice(1);
const client = async (name: string, environment: string) => {
  const { changed } = await rig.ask(contracts.fetchSnapshot, { environment, known: null });
  return changed.find(({ feature }) => feature.name === name)?.feature;
};

describe('a dependency', () => {
  it('is in the admin views of both flags and in what SDKs of every environment get of the child', async () => {
    const [child, parent] = await newPair();
    await add(child, parent, { variants: ['blue', 'disabled'] });
    const dependency = { feature: parent, enabled: true, variants: ['blue', 'disabled'] };
    expect(await get(child)).toMatchObject({ dependencies: [dependency], children: [] });
    expect(await get(parent)).toMatchObject({ dependencies: [], children: [child] });
    for (const environment of ['development', 'production'])
      expect(await client(child, environment)).toMatchObject({ dependencies: [dependency] });
    expect(await eventsOf(child)).toMatchObject([
      { type: 'feature-dependency-added', data: dependency, preData: null, project: projectId },
    ]);
    expect(await eventsOf(parent)).toEqual([]);
  });

  it('can be changed; the same again changes nothing', async () => {
    const [child, parent] = await newPair();
    await add(child, parent);
    const before = await rig.ask(contracts.listRevisions, {});
    await add(child, parent);
    expect(await rig.ask(contracts.listRevisions, {})).toEqual(before);
    await add(child, parent, { enabled: false });
    const [first, second, ...others] = await eventsOf(child);
    expect(first).toMatchObject({ data: { feature: parent, enabled: true, variants: [] } });
    expect(second).toMatchObject({ data: { enabled: false }, preData: { enabled: true } });
    expect(others).toEqual([]);
    expect((await get(child)).dependencies).toEqual([{ feature: parent, enabled: false, variants: [] }]);
  });

  it('replaces the parents of before; a list makes several', async () => {
    const child = await newFlag();
    const [first, second, third] = [await newFlag(), await newFlag(), await newFlag()];
    const parentsOf = async () => (await get(child)).dependencies.map(({ feature }) => feature);
    await add(child, first);
    await add(child, second);
    expect(await parentsOf()).toEqual([second]);
    await addAll(child, first, second);
    expect(await parentsOf()).toEqual([first, second]);
    await addAll(child, third, second);
    expect(await parentsOf()).toEqual([second, third]);
    const of = (feature: string) => ({ feature, enabled: true, variants: [] });
    expect((await eventsOf(child)).slice(1)).toMatchObject([
      { type: 'feature-dependency-removed', preData: of(first) },
      { type: 'feature-dependency-added', data: of(second), preData: null },
      { type: 'feature-dependency-added', data: of(first), preData: null },
      { type: 'feature-dependency-removed', preData: of(first) },
      { type: 'feature-dependency-added', data: of(third), preData: null },
    ]);
  });

  it('ends alone or with all others, with what it was in the event', async () => {
    const child = await newFlag();
    const parents = [await newFlag(), await newFlag(), await newFlag()] as const;
    await addAll(child, ...parents);
    await remove(child, parents[0]);
    await removeAll(child);
    expect((await get(child)).dependencies).toEqual([]);
    const of = (feature: string) => ({ feature, enabled: true, variants: [] });
    expect((await eventsOf(child)).slice(3)).toMatchObject([
      { type: 'feature-dependency-removed', data: null, preData: of(parents[0]) },
      { type: 'feature-dependencies-removed', data: null, preData: { dependencies: parents.slice(1).map(of) } },
    ]);
    await expect(remove(child, parents[0])).rejects.toMatchObject({ code: 'not-found' });
    await expect(removeAll(child)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('has one level and no cycle', async () => {
    const [child, parent] = await newPair();
    const other = await newFlag();
    await add(child, parent);
    const refused = { code: 'invalid-operation', message: expect.stringMatching(/Transitive dependency detected/) };
    await expect(add(parent, other)).rejects.toMatchObject(refused);
    await expect(add(other, child)).rejects.toMatchObject(refused);
    await expect(add(parent, child)).rejects.toMatchObject(refused);
    await expect(add(other, other)).rejects.toMatchObject({
      code: 'invalid-operation',
      message: expect.stringMatching(/itself/),
    });
  });

  it('needs flags that exist and are not archived, and the permission', async () => {
    const [child, parent] = await newPair();
    await expect(add(child, 'nobody')).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringMatching(/"nobody"/),
    });
    await expect(add('nobody', parent)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/"nobody"/),
    });
    const actor: Actor = { kind: 'user', id: 7, username: 'ed', grants: [{ permissions: ['UPDATE_FEATURE'] }] };
    await expect(add(child, parent, {}, actor)).rejects.toMatchObject({ code: 'no-access' });
    await archive(parent);
    await expect(add(child, parent)).rejects.toMatchObject({ code: 'bad-data' });
    await expect(add(parent, child)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('the options of a form', () => {
  it('are the live flags without a parent, and none for a parent', async () => {
    const [child, parent] = await newPair();
    const archived = await newFlag();
    await add(child, parent);
    await archive(archived);
    const other = await newFlag();
    const found = await options(other);
    expect(found).toContain(parent);
    for (const name of [child, archived, other]) expect(found).not.toContain(name);
    expect(await options(child)).toContain(parent);
    expect(await options(parent)).toEqual([]);
    await expect(options('nobody')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('are the names of variants in any environment, and none for an unknown flag', async () => {
    const parent = await newFlag();
    const variants = (...names: string[]) => names.map((name) => ({ name, weight: 1 }));
    const place = { projectId, featureName: parent };
    await rig.ask(contracts.replaceVariants, { ...place, environment: 'development', variants: variants('b', 'a') });
    await rig.ask(contracts.replaceVariants, { ...place, environment: 'production', variants: variants('c', 'a') });
    const ofStrategy = { name: 'd', weight: 0, weightType: 'variable' as const, stickiness: 'default' };
    await rig.ask(contracts.addStrategy, {
      ...{ ...place, environment: 'production' },
      strategy: { name: 'default', variants: [ofStrategy] },
    });
    const ask = (name: string) => rig.ask(contracts.listParentVariantOptions, { projectId, parent: name });
    expect(await ask(parent)).toEqual({ variants: ['a', 'b', 'c', 'd'] });
    expect(await ask('nobody')).toEqual({ variants: [] });
  });

  it('tell whether a project has dependencies', async () => {
    const exist = (project: string) => rig.ask(contracts.checkDependenciesExist, { projectId: project });
    const [child, parent] = await newPair();
    await add(child, parent);
    expect(await exist(projectId)).toEqual({ exist: true });
    await expect(exist('nowhere')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/"nowhere"/),
    });
  });
});

describe('of concurrent requests', () => {
  const rounds = Array.from({ length: 15 }, (_, index) => index);

  longTest('that make two flags depend on each other one succeeds', async () => {
    for (const _ of rounds) {
      const [one, other] = await newPair();
      const results = await Promise.allSettled([add(one, other), add(other, one)]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const levels = [await get(one), await get(other)].map(({ dependencies }) => dependencies.length);
      expect(levels.sort()).toEqual([0, 1]);
    }
  });

  it('that make a chain of three flags one succeeds', async () => {
    for (const _ of rounds) {
      const [child, parent] = await newPair();
      const grandparent = await newFlag();
      const results = await Promise.allSettled([add(child, parent), add(parent, grandparent)]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });

  longTest('that archive a flag and depend on it one succeeds', async () => {
    for (const _ of rounds) {
      const [child, parent] = await newPair();
      const [added, archived] = await Promise.allSettled([add(child, parent), archive(parent)]);
      expect([added.status, archived.status].sort()).toEqual(['fulfilled', 'rejected']);
      expect((await get(parent)).archived).toBe(archived.status === 'fulfilled');
      expect((await get(child)).dependencies).toHaveLength(added.status === 'fulfilled' ? 1 : 0);
    }
  });
});

it('random requests never leave two levels or a cycle', async () => {
  const flags = await Promise.all(Array.from({ length: 6 }, newFlag));
  const flag = fc.constantFrom(...flags);
  const request = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(flag, flag).map(
        ([child, parent]) =>
          () =>
            add(child, parent),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(flag, flag).map(
        ([child, parent]) =>
          () =>
            remove(child, parent),
      ),
    },
    { weight: 1, arbitrary: flag.map((child) => () => removeAll(child)) },
  );
  const check = async (requests: (() => Promise<unknown>)[]) => {
    await Promise.allSettled(requests.map((send) => send()));
    const rows = await rig.db.kysely.selectFrom('feature_dependencies').select(['child', 'parent']).execute();
    const children = new Set(rows.map(({ child }) => child));
    expect(rows.filter(({ parent }) => children.has(parent))).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 12 }), check), {
    numRuns: propertyRuns(25),
  });
});
