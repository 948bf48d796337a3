// Proves the variants of flags per environment over a real bus and Postgres: answers, events, what SDKs get, limits.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { propertyRuns } from '@yardarm/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';
const permission = 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS';
const blue = { name: 'blue', weight: 0 };
const red = {
  ...{ name: 'red', weight: 300, weightType: 'fix' as const, stickiness: 'userId' },
  payload: { type: 'csv' as const, value: 'a,b' },
  overrides: [{ contextName: 'userId', values: ['1'] }],
};
const storedBlue = { name: 'blue', weight: 700, weightType: 'variable', stickiness: 'default' };

let rig: FlagsRig;
let flagCount = 0;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

async function newFlag(): Promise<string> {
  flagCount += 1;
  const name = `varied-${flagCount}`;
  await rig.ask(contracts.createFeature, { projectId, name });
  return name;
}

type NewVariants = Parameters<typeof input>[1];
const input = (featureName: string, variants: { name: string; weight: number }[], environment = 'production') => ({
  ...{ projectId, featureName, environment, variants },
});
const replace = (featureName: string, variants: NewVariants, environment?: string, actor?: Actor) =>
  rig.ask(contracts.replaceVariants, input(featureName, variants, environment), actor);
const list = (featureName: string, environment = 'production') =>
  rig.ask(contracts.listVariants, { projectId, featureName, environment });
const eventsOf = async (featureName: string) => (await rig.events(featureName)).slice(1);
const client = async (name: string, environment = 'production') => {
  const { changed } = await rig.ask(contracts.fetchSnapshot, { environment, known: null });
  return changed.find(({ feature }) => feature.name === name)?.feature;
};

describe('replacing the variants of a flag in an environment', () => {
  it('normalizes the weights, and every reader sees the variants of that environment', async () => {
    const name = await newFlag();
    const variants = [storedBlue, red];
    expect(await replace(name, [blue, red])).toEqual({ variants });
    expect(await list(name)).toEqual({ variants });
    expect(await list(name, 'development')).toEqual({ variants: [] });
    const feature = await rig.ask(contracts.getFeature, { projectId, featureName: name });
    expect(feature.environments).toMatchObject([
      { name: 'development', variants: [], variantCount: 0 },
      { name: 'production', variants, variantCount: 2 },
    ]);
    expect(feature.variants).toEqual(variants);
    expect((await client(name))?.variants).toEqual(variants);
    expect((await client(name, 'development'))?.variants).toEqual([]);
  });

  it('emits one event with the variants before and after, and none when nothing differs', async () => {
    const name = await newFlag();
    await replace(name, [blue]);
    const before = await rig.ask(contracts.listRevisions, {});
    await replace(name, [blue]);
    expect(await rig.ask(contracts.listRevisions, {})).toEqual(before);
    await replace(name, []);
    const stored = [{ ...storedBlue, weight: 1000 }];
    const common = { type: 'feature-environment-variants-updated', environment: 'production', project: projectId };
    expect(await eventsOf(name)).toMatchObject([
      { ...common, data: { variants: stored }, preData: { variants: [] } },
      { ...common, data: { variants: [] }, preData: { variants: stored } },
    ]);
    const after = await rig.ask(contracts.listRevisions, {});
    expect(after.environments.production?.default).toBe((before.environments.production?.default ?? 0) + 1);
    expect(after.environments.development).toEqual(before.environments.development);
  });

  it.each([
    ['a name that occurs twice', [blue, blue], 'variants[1].name property should be unique among the variants'],
    ['a payload of the wrong type', [{ ...blue, payload: { type: 'csv', value: '"' } }], 'should be CSV'],
    ['weights above 1000', [red, { ...red, name: 'b', weight: 800 }], 'should have weights that can sum to 1000'],
    ['a weight that is no integer', [{ ...blue, weight: 0.5 }], '.variants[0].weight property'],
    ['a long name', [{ ...blue, name: 'b'.repeat(101) }], 'should have at most 100 characters'],
    ['a name that counts would drop', [{ ...blue, name: '__proto__' }], 'should not be __proto__'],
  ])('refuses %s', async (_, variants, message) => {
    const name = await newFlag();
    await expect(replace(name, variants as NewVariants)).rejects.toThrow(message);
    expect(await eventsOf(name)).toEqual([]);
  });

  it('refuses more than 500 kB of strategies and variants', async () => {
    const name = await newFlag();
    const large = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        ...{ name: `large-${index}`, weight: 0, payload: { type: 'string', value: 'x'.repeat(90_000) } },
      }));
    await replace(name, large(3), 'development');
    await expect(replace(name, large(3))).rejects.toMatchObject({ code: 'limit-exceeded' });
    await replace(name, large(2));
  });

  it('names the project, flag or environment that does not exist', async () => {
    const name = await newFlag();
    await expect(replace('nobody', [])).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/"nobody"/),
    });
    await expect(replace(name, [], 'nowhere')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/"nowhere"/),
    });
    await expect(list(name, 'nowhere')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/"nowhere"/),
    });
    await expect(list('nobody')).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/"nobody"/),
    });
    const elsewhere = { ...input(name, []), projectId: 'nowhere' };
    await expect(rig.ask(contracts.replaceVariants, elsewhere)).rejects.toMatchObject({
      message: expect.stringMatching(/"nowhere"/),
    });
  });

  it('needs the permission in the environment', async () => {
    const name = await newFlag();
    const grants = [
      { permissions: [permission], projects: [projectId], environment: 'development' },
    ] as Actor['grants'];
    const actor: Actor = { kind: 'user', id: 8, username: 'dev', grants };
    await replace(name, [blue], 'development', actor);
    const refused = { code: 'no-access', message: expect.stringMatching(/production/) };
    await expect(replace(name, [blue], 'production', actor)).rejects.toMatchObject(refused);
    const batch = { projectId, featureName: name, environments: ['development', 'production'] };
    await expect(rig.ask(contracts.replaceVariantsInEnvironments, batch, actor)).rejects.toMatchObject(refused);
  });
});

describe('a patch of variants', () => {
  const patch = (featureName: string, operations: { op: 'add' | 'remove'; path: string; value?: unknown }[]) =>
    rig.ask(contracts.patchVariants, { projectId, featureName, environment: 'production', operations });

  it('changes the list and normalizes the weights again', async () => {
    const name = await newFlag();
    await replace(name, [red, blue]);
    const operations = [
      // Variants are stored by name: blue is first.
      { op: 'remove' as const, path: '/1' },
      { op: 'add' as const, path: '/-', value: { name: 'green', weight: 1 } },
    ];
    const variants = [
      { ...storedBlue, weight: 500 },
      { ...storedBlue, name: 'green', weight: 500 },
    ];
    expect(await patch(name, operations)).toEqual({ variants });
    expect((await eventsOf(name)).at(-1)).toMatchObject({ data: { variants } });
  });

  it('that fails changes nothing', async () => {
    const name = await newFlag();
    await replace(name, [blue]);
    const operations = [
      { op: 'remove' as const, path: '/0' },
      { op: 'remove' as const, path: '/0' },
    ];
    await expect(patch(name, operations)).rejects.toMatchObject({ code: 'bad-data' });
    expect((await list(name)).variants).toHaveLength(1);
  });

  it('of several concurrent ones loses no variant', async () => {
    const name = await newFlag();
    const names = Array.from({ length: 8 }, (_, index) => `v${index}`);
    await Promise.all(
      names.map((value) => patch(name, [{ op: 'add', path: '/-', value: { name: value, weight: 0 } }])),
    );
    const { variants } = await list(name);
    expect(variants.map((variant) => variant.name).sort()).toEqual(names.sort());
    expect(variants.reduce((sum, { weight }) => sum + weight, 0)).toBe(1000);
  });
});

describe('the same variants in several environments', () => {
  const batch = (featureName: string, environments: string[]) =>
    rig.ask(contracts.replaceVariantsInEnvironments, { projectId, featureName, environments, variants: [blue] });

  it('are one change with an event for each environment that differs', async () => {
    const name = await newFlag();
    await replace(name, [blue], 'development');
    const variants = [{ ...storedBlue, weight: 1000 }];
    expect(await batch(name, ['production', 'development', 'production'])).toEqual({ variants });
    expect((await eventsOf(name)).map(({ environment }) => environment)).toEqual(['development', 'production']);
    expect(await list(name)).toEqual({ variants });
  });

  it('are stored in all environments or in none', async () => {
    const name = await newFlag();
    const message = '.environments[1] property should be an environment of the project default. You sent "nowhere".';
    await expect(batch(name, ['production', 'nowhere'])).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining(message),
    });
    await expect(batch(name, [])).rejects.toThrow('.environments');
    expect(await list(name)).toEqual({ variants: [] });
  });
});

it('whatever is accepted sums to 1000, and a read returns what the write answered', async () => {
  const name = await newFlag();
  const variant = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    weight: fc.integer({ min: 0, max: 600 }),
    weightType: fc.constantFrom('variable' as const, 'fix' as const),
  });
  const check = async (variants: NewVariants) => {
    const before = await list(name);
    const answer = await replace(name, variants).catch(() => null);
    expect(await list(name)).toEqual(answer ?? before);
    const sum = (answer?.variants ?? []).reduce((total, { weight }) => total + weight, 0);
    if (answer && answer.variants.length > 0) expect(sum).toBe(1000);
  };
  await fc.assert(fc.asyncProperty(fc.array(variant, { maxLength: 5 }), check), { numRuns: propertyRuns(40) });
});
