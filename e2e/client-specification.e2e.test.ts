// The flags of Unleash's client specification: each is created through the admin API, and unleash-client evaluates what
// the client API answers as it evaluates the specification's own text.
import { createRequire } from 'node:module';
import { type CallResult, startSystem, type TestSystem } from '@yardarm/testing';
import { type Context, InMemStorageProvider, Unleash } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface SpecificationStrategy {
  name: string;
  parameters?: Record<string, string>;
  constraints?: object[];
  variants?: object[];
  segments?: number[];
}

interface SpecificationFlag {
  name: string;
  description?: string;
  enabled: boolean;
  strategies?: SpecificationStrategy[];
  variants?: { weight: number }[];
  dependencies?: { feature: string }[];
}

interface Specification {
  name: string;
  state: { features?: SpecificationFlag[]; segments?: { id: number; constraints: object[] }[] };
  tests?: { description: string; context: Context; toggleName: string }[];
  variantTests?: { description: string; context: Context; toggleName: string }[];
}

const require = createRequire(import.meta.url);
const files = require('@unleash/client-specification/specifications/index.json') as string[];
const specifications = files.map(
  (file) => require(`@unleash/client-specification/specifications/${file}`) as Specification,
);

/** The flags that validation refuses: SDKs would evaluate them as off, or only in part. */
const refused: Record<string, RegExp> = {
  'CIDR.invalid.only': /values.*network/,
  'CIDR.ipv6.mixed.values': /values.*network/,
  'CIDR.mixed.values': /values.*network/,
  'F7.invalid-operator': /operator/,
  'F8.invalidSemverWithLeadingV': /value.*semver/,
  'F9.withMissingSegment': /segments/,
  'Feature.UTF-8.Hellø_Wørld': /name.*URL friendly/,
  'Feature.UTF-8.😊_φriend_你好_🌍': /name.*URL friendly/,
  'R90.reject_lookahead': /value.*RE2/,
  'R91.reject_backreference': /value.*RE2/,
  'child.with.transitive.dependency': /./,
  'invalid-regex-defaults-to-false': /value.*RE2/,
  'parent.with.cycle': /./,
  'parents.not.exist.child.enabled': /./,
};

const environment = 'development';
const features = '/api/admin/projects/default/features';
const errors: Record<string, string> = {};
let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system?.stop());

async function call(method: string, path: string, body?: unknown): Promise<CallResult> {
  const answer = await system.call(method, path, body === undefined ? {} : { body });
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.body?.message}`);
  return answer;
}

/** Returns the names of the flags that were made. A refusal is kept in `errors`. */
async function make({ features: flags = [], segments = [] }: Specification['state']): Promise<string[]> {
  const ids = new Map<number, number>();
  for (const { id, constraints } of segments) {
    const { body } = await call('POST', '/api/admin/segments', { name: `segment ${id}`, constraints });
    ids.set(id, body.id);
  }
  const made: string[] = [];
  for (const flag of flags) {
    try {
      await makeFlag(flag, ids);
      made.push(flag.name);
    } catch (error) {
      errors[flag.name] = (error as Error).message;
    }
  }
  return made;
}

async function makeFlag(flag: SpecificationFlag, segmentIds: ReadonlyMap<number, number>): Promise<void> {
  const { name, description, enabled, strategies = [], variants = [], dependencies = [] } = flag;
  await call('POST', features, { name, description });
  const path = `${features}/${name}`;
  for (const { segments = [], ...strategy } of strategies) {
    const body = { ...strategy, segments: segments.map((id) => segmentIds.get(id) ?? id) };
    await call('POST', `${path}/environments/${environment}/strategies`, withVariantDefaults(body));
  }
  if (variants.length > 0) await call('PUT', `${path}/environments/${environment}/variants`, weighted(variants));
  for (const dependency of dependencies) await call('POST', `${path}/dependencies`, dependency);
  if (enabled) await call('POST', `${path}/environments/${environment}/on`);
}

/**
 * The API requires what the specification leaves out: the type of a weight, and a stickiness, which is the strategy's.
 */
function withVariantDefaults(strategy: SpecificationStrategy): object {
  const { variants, parameters } = strategy;
  return variants ? { ...strategy, variants: weighted(variants, parameters?.stickiness) } : strategy;
}

function weighted(variants: readonly object[], stickiness = 'default'): object[] {
  return variants.map((variant) => ({ weightType: 'variable', stickiness, ...variant }));
}

/** The specification's flags with our weights: they sum to 1000, and SDKs choose a variant by the sum. */
function withOurWeights(flags: readonly SpecificationFlag[], ours: readonly SpecificationFlag[]): object[] {
  const weigh = (variants: readonly object[] = [], from: readonly object[] = []) =>
    variants.map((variant, index) => ({
      ...variant,
      weight: (from[index] as { weight?: number } | undefined)?.weight,
    }));
  return flags.map((flag) => {
    const own = ours.find(({ name }) => name === flag.name);
    if (!own) return flag;
    const strategies = flag.strategies?.map((strategy, index) => ({
      ...strategy,
      ...(strategy.variants && { variants: weigh(strategy.variants, own.strategies?.[index]?.variants) }),
    }));
    return { ...flag, strategies, ...(flag.variants && { variants: weigh(flag.variants, own.variants) }) };
  });
}

async function remove(names: readonly string[], segments: number): Promise<void> {
  await call('POST', '/api/admin/projects/default/archive', { features: names });
  await call('POST', '/api/admin/projects/default/delete', { features: names });
  if (segments === 0) return;
  const { body } = await call('GET', '/api/admin/segments');
  for (const { id } of body.segments) await call('DELETE', `/api/admin/segments/${id}`);
}

async function sdkOn(data: unknown[], segments: unknown[] = []): Promise<Unleash> {
  const unleash = new Unleash({
    ...{ appName: 'specification', url: 'http://127.0.0.1:1/api/', disableMetrics: true, refreshInterval: 0 },
    ...{ storageProvider: new InMemStorageProvider(), skipInstanceCountWarning: true },
    bootstrap: { data, segments } as never,
  });
  // Nothing answers at the URL; the SDK evaluates what it was given.
  unleash.on('error', () => {});
  unleash.on('warn', () => {});
  await new Promise((resolve) => unleash.once('ready', resolve));
  return unleash;
}

describe.each(specifications.filter(({ state }) => state?.features))(
  '$name',
  ({ state, tests = [], variantTests = [] }) => {
    test('the API makes its flags, and an SDK evaluates them as the specification', async () => {
      const made = await make(state);
      await system.processAll();
      const { body } = await system.call('GET', '/api/client/features', { token: system.clientTokens[environment] });
      const [ours, theirs] = [
        await sdkOn(body.features),
        await sdkOn(withOurWeights(state.features ?? [], body.features), state.segments),
      ];
      for (const { toggleName, context, description } of tests) {
        if (!made.includes(toggleName)) continue;
        expect([description, ours.isEnabled(toggleName, context)]).toEqual([
          description,
          theirs.isEnabled(toggleName, context),
        ]);
      }
      for (const { toggleName, context, description } of variantTests) {
        if (!made.includes(toggleName)) continue;
        expect([description, ours.getVariant(toggleName, context)]).toEqual([
          description,
          theirs.getVariant(toggleName, context),
        ]);
      }
      ours.destroy();
      theirs.destroy();
      await remove(made, state.segments?.length ?? 0);
    });
  },
);

test('exactly the flags that SDKs could not evaluate as a whole are refused', () => {
  expect(Object.keys(errors).sort()).toEqual(Object.keys(refused).sort());
  for (const [name, message] of Object.entries(refused)) expect(errors[name]).toMatch(message);
});
