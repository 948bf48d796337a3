// The flags of Unleash's client specification: each is created through the admin API. unleash-client, which reads them
// in each of its modes, the frontend API and OFREP evaluate them as unleash-client evaluates the specification's text.

import type { CallResult, TestSystem } from '@yardarm/testing';
import { casesOfRun, isLongRun } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import type { Context } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkState, checkVariant } from './over-http.ts';
import { modes, sdkInMode, sdkOn } from './sdks.ts';
import {
  type SpecificationFlag,
  type SpecificationState,
  type SpecificationStrategy,
  specifications,
} from './specification.ts';

/** The flags that validation refuses: SDKs would evaluate them as off, or only in part. By reason. */
const refused = [
  { reason: 'an unknown operator', message: /operator/, flags: ['F7.invalid-operator'] },
  {
    reason: 'an invalid regex',
    message: /value.*RE2/,
    flags: ['R90.reject_lookahead', 'R91.reject_backreference', 'invalid-regex-defaults-to-false'],
  },
  {
    reason: 'an invalid CIDR',
    message: /values.*network/,
    flags: ['CIDR.invalid.only', 'CIDR.ipv6.mixed.values', 'CIDR.mixed.values'],
  },
  { reason: 'an invalid version', message: /value.*semver/, flags: ['F8.invalidSemverWithLeadingV'] },
  {
    reason: 'a name that is not ASCII',
    message: /name.*URL friendly/,
    flags: ['Feature.UTF-8.Hellø_Wørld', 'Feature.UTF-8.😊_φriend_你好_🌍'],
  },
  { reason: 'a cycle of parents', message: /Transitive dependency/, flags: ['child.with.cycle'] },
  { reason: 'a parent of a parent', message: /Transitive dependency/, flags: ['child.with.transitive.dependency'] },
  {
    reason: 'a missing parent',
    message: /feature property should be a flag/,
    flags: ['parents.not.exist.child.enabled'],
  },
  { reason: 'a missing segment', message: /segments/, flags: ['F9.withMissingSegment'] },
];

const environment = 'development';
const features = '/api/admin/projects/default/features';
const errors: Record<string, string> = {};
let system: TestSystem;

let frontendToken: string;

beforeAll(async () => {
  system = await startSystem();
  const token = { type: 'frontend', tokenName: 'specification', environment };
  frontendToken = (await call('POST', '/api/admin/api-tokens', token)).body.secret;
});
afterAll(() => system?.stop());

async function call(method: string, path: string, body?: unknown): Promise<CallResult> {
  const answer = await system.call(method, path, body === undefined ? {} : { body });
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.body?.message}`);
  return answer;
}

/**
 * Makes every flag and then the dependencies, so that each parent exists. Returns the names of the flags that are as in
 * the specification, with their parents. A refusal is kept in `errors`.
 */
async function make({ features: flags, segments, archived }: SpecificationState): Promise<string[]> {
  const ids = new Map<number, number>();
  for (const { id, constraints } of segments) {
    const { body } = await call('POST', '/api/admin/segments', { name: `segment ${id}`, constraints });
    ids.set(id, body.id);
  }
  const attempt = (name: string, work: () => Promise<unknown>) =>
    work().catch((error: Error) => {
      errors[name] = error.message;
    });
  for (const flag of flags) await attempt(flag.name, () => makeFlag(flag, ids));
  // Of a chain of three the last is refused, so that the first two are as in the specification.
  const children = new Set(flags.flatMap(({ name, dependencies = [] }) => (dependencies.length > 0 ? name : [])));
  const isLast = ({ dependencies = [] }: SpecificationFlag) =>
    dependencies.some(({ feature }) => children.has(feature));
  for (const { name, dependencies = [] } of flags.toSorted((one, other) => +isLast(one) - +isLast(other))) {
    if (name in errors) continue;
    await attempt(name, async () => {
      for (const dependency of dependencies) await call('POST', `${features}/${name}/dependencies`, dependency);
    });
  }
  for (const name of archived) await call('DELETE', `${features}/${name}`);
  const names = flags.map(({ name, dependencies = [] }) => [name, ...dependencies.map(({ feature }) => feature)]);
  return names.filter((family) => !family.some((name) => name in errors)).map(([name = '']) => name);
}

async function makeFlag(flag: SpecificationFlag, segmentIds: ReadonlyMap<number, number>): Promise<void> {
  const { name, description, enabled, strategies = [], variants = [] } = flag;
  await call('POST', features, { name, description });
  const path = `${features}/${name}`;
  for (const { segments = [], ...strategy } of strategies) {
    const body = { ...strategy, segments: segments.map((id) => segmentIds.get(id) ?? id) };
    await call('POST', `${path}/environments/${environment}/strategies`, withVariantDefaults(body));
  }
  if (variants.length > 0) await call('PUT', `${path}/environments/${environment}/variants`, weighted(variants));
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

const byName = (one: object, other: object) =>
  (one as { name: string }).name < (other as { name: string }).name ? -1 : 1;

/** The specification's flags with our weights and order: weights sum to 1000, and SDKs choose a variant by the sum. */
function withOurWeights(flags: readonly SpecificationFlag[], ours: readonly SpecificationFlag[]): object[] {
  const weigh = (variants: readonly object[] = [], from: readonly object[] = []) =>
    [...variants].sort(byName).map((variant, index) => ({
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

/**
 * The cases that are evaluated over HTTP: in `npm test` the first one of each flag. The evaluated environment is the
 * token's; some contexts of the specification name another.
 */
function casesOverHttp<T extends { toggleName: string; context: Context }>(cases: readonly T[]): Set<T> {
  const ofToken = cases.filter(({ context }) => (context.environment ?? environment) === environment);
  const firsts = new Map(ofToken.toReversed().map((each) => [each.toggleName, each]));
  return new Set(isLongRun ? ofToken : firsts.values());
}

describe.each(specifications)('$name', ({ features: flags, segments, archived, tests, variantTests }) => {
  test('the API makes its flags, and an SDK evaluates them as the specification', async () => {
    expect(flags).not.toEqual([]);
    const made = await make({ features: flags, segments, archived });
    // Without flags an SDK is never ready.
    if (made.length === 0) return;
    await system.processAll();
    const { body } = await system.call('GET', '/api/client/features', { token: system.clientTokens[environment] });
    const live = flags.filter(({ name }) => !archived.includes(name));
    const ours = await Promise.all(casesOfRun(1, modes).map((mode) => sdkInMode(system, mode)));
    const theirs = await sdkOn(withOurWeights(live, body.features), segments);
    const overHttp = new Set<object>([...casesOverHttp(tests), ...casesOverHttp(variantTests)]);
    for (const each of tests) {
      const { toggleName: flag, context, description, expectedResult } = each;
      if (!made.includes(flag)) continue;
      for (const sdk of [...ours, theirs])
        expect([description, sdk.isEnabled(flag, context)]).toEqual([description, expectedResult]);
      if (overHttp.has(each)) await checkState({ system, frontendToken, flag, context, description }, theirs);
    }
    for (const each of variantTests) {
      const { toggleName: flag, context, description } = each;
      if (!made.includes(flag)) continue;
      const expected = theirs.getVariant(flag, context);
      for (const sdk of ours) expect([description, sdk.getVariant(flag, context)]).toEqual([description, expected]);
      if (overHttp.has(each)) await checkVariant({ system, frontendToken, flag, context, description }, theirs);
    }
    for (const sdk of [...ours, theirs]) sdk.destroy();
    const names = flags.map(({ name }) => name);
    await remove(names, segments.length);
  });
});

test('exactly the flags that SDKs could not evaluate as a whole are refused', () => {
  expect(Object.keys(errors).sort()).toEqual(refused.flatMap(({ flags }) => flags).sort());
  for (const { message, flags } of refused) for (const flag of flags) expect(errors[flag]).toMatch(message);
});
