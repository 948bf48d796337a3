// Proves the playground over a real bus and Postgres: what is evaluated, the reasons, and the limits.
import { randomBytes } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { flagCalls } from '../../testing/flag-calls.ts';
import { admin, contextOf, type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { maxAnswerBytes } from './playground.ts';

const projectId = 'default';
const ofUser = (...values: string[]) => ({ contextName: 'userId', operator: 'IN' as const, values });
const stored = (...values: string[]) => ({ ...ofUser(...values), caseInsensitive: false, inverted: false });
const variant = { weight: 1000, weightType: 'fix' as const, stickiness: 'default' };

let rig: OwnFlagsRig;
const { newFlag, add, switchFlag } = flagCalls(() => rig);

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

type Asked = Partial<Parameters<typeof inputOf>[0]>;
const inputOf = (asked: { environments?: string[]; projects?: string[]; fields?: Record<string, string[]> }) => ({
  ...{ environments: ['development'], fields: { userId: ['1'] } },
  ...asked,
});
const evaluate = async (asked: Asked = {}) => (await rig.ask(contracts.evaluatePlayground, inputOf(asked))).evaluations;
const evaluateOne = async (name: string, asked?: Asked) => {
  const found = (await evaluate(asked)).filter((evaluation) => evaluation.name === name);
  expect(found).toHaveLength(1);
  return found[0]!;
};
const on = (name: string) => switchFlag(name, 'development', true);

test('a flag has every strategy with the results of its constraints and segments', async () => {
  const name = await newFlag();
  const { id: segment } = await rig.ask(contracts.createSegment, { name: 'friends', constraints: [ofUser('2')] });
  const constraints = [ofUser('1'), ofUser('2')];
  const first = await add(name, { name: 'default', title: 'Friends', constraints, segments: [segment] });
  const second = await add(name, { name: 'userWithId', parameters: { userIds: '1' }, constraints: [ofUser('1')] });
  await on(name);
  const edit = `/projects/default/features/${name}/strategies/edit?environmentId=development&strategyId=`;
  expect(await evaluateOne(name)).toEqual({
    ...{ name, projectId, environment: 'development', context: { userId: '1' } },
    ...{ isEnabled: true, isEnabledInCurrentEnvironment: true, hasUnsatisfiedDependency: false },
    ...{ variant: { name: 'disabled', enabled: false, feature_enabled: true }, variants: [] },
    strategies: {
      result: true,
      data: [
        {
          ...{ id: first.id, name: 'default', title: 'Friends', disabled: false, parameters: {} },
          result: { evaluationStatus: 'complete', enabled: false },
          constraints: [
            { ...stored('1'), result: true },
            { ...stored('2'), result: false },
          ],
          segments: [{ id: segment, name: 'friends', result: false, constraints: [{ ...stored('2'), result: false }] }],
          links: { edit: `${edit}${first.id}` },
        },
        {
          ...{ id: second.id, name: 'userWithId', disabled: false, parameters: { userIds: '1' } },
          result: { evaluationStatus: 'complete', enabled: true },
          ...{ constraints: [{ ...stored('1'), result: true }], segments: [] },
          links: { edit: `${edit}${second.id}` },
        },
      ],
    },
  });
});

test('a strategy that is disabled or of a custom type is unknown', async () => {
  await rig.ask(contracts.createStrategyType, { name: 'own', parameters: [] });
  const name = await newFlag();
  for (const strategy of [
    { name: 'own' },
    { name: 'own', constraints: [ofUser('2')] },
    { name: 'default', disabled: true },
    { name: 'applicationHostname', parameters: { hostNames: 'x' } },
  ])
    await add(name, strategy);
  await on(name);
  const { isEnabled, strategies } = await evaluateOne(name);
  expect({ isEnabled, result: strategies.result }).toEqual({ isEnabled: false, result: 'unknown' });
  expect(strategies.data.map(({ disabled, result }) => [disabled, result])).toEqual([
    [false, { evaluationStatus: 'incomplete', enabled: 'unknown' }],
    [false, { evaluationStatus: 'incomplete', enabled: false }],
    [true, { evaluationStatus: 'unevaluated', enabled: 'unknown' }],
    [false, { evaluationStatus: 'incomplete', enabled: 'unknown' }],
  ]);
});

test('the variants are those of the deciding strategy, else those of the flag', async () => {
  const variants = [{ ...variant, name: 'red', payload: { type: 'string' as const, value: 'r' } }];
  const own = [{ ...variant, name: 'blue' }];
  const name = await newFlag();
  await add(name, { name: 'default', variants, constraints: [ofUser('1')] });
  await add(name, { name: 'default', variants: own, constraints: [ofUser('3')] });
  await on(name);
  await rig.ask(contracts.replaceVariants, {
    ...{ projectId, featureName: name, environment: 'development' },
    variants: [{ name: 'green', weight: 1000 }],
  });
  const red = { name: 'red', enabled: true, payload: { type: 'string', value: 'r' } };
  expect(await evaluateOne(name)).toMatchObject({
    ...{ variant: { ...red, feature_enabled: true }, variants },
    strategies: {
      data: [
        { result: { evaluationStatus: 'complete', enabled: true, variant: red, variants } },
        { result: { enabled: false, variant: { name: 'blue', enabled: true }, variants: own } },
      ],
    },
  });
  const off = { name: 'disabled', enabled: false, feature_enabled: false };
  expect(await evaluateOne(name, { fields: { userId: ['2'] } })).toMatchObject({
    ...{ isEnabled: false, variant: off, variants: [{ name: 'green' }], strategies: { result: false } },
  });
});

test('a flag that is off, archived, elsewhere or without its parent', async () => {
  const [off, archived, child, parent] = [await newFlag(), await newFlag(), await newFlag(), await newFlag()];
  for (const name of [off, child]) await add(name, { name: 'default' });
  for (const name of [archived, child]) await on(name);
  await rig.ask(contracts.addDependency, { projectId, child, feature: parent });
  await rig.ask(contracts.archiveFeature, { projectId, featureName: archived });
  await rig.ask(contracts.createEnvironment, { name: 'elsewhere', type: 'test' });

  expect(await evaluateOne(off)).toMatchObject({
    ...{ isEnabled: false, isEnabledInCurrentEnvironment: false, strategies: { result: true } },
  });
  expect((await evaluate()).map(({ name }) => name)).not.toContain(archived);
  expect(await evaluateOne(child)).toMatchObject({
    ...{ isEnabled: false, isEnabledInCurrentEnvironment: true, hasUnsatisfiedDependency: true },
    strategies: { result: true },
  });
  await on(parent);
  expect(await evaluateOne(child)).toMatchObject({ isEnabled: true, hasUnsatisfiedDependency: false });
  expect(await evaluateOne(child, { environments: ['elsewhere'] })).toMatchObject({
    ...{ isEnabled: false, isEnabledInCurrentEnvironment: false, strategies: { result: false, data: [] } },
  });
});

test('environments and contexts are combined, flag by flag', async () => {
  await rig.ask(contracts.createProject, { id: 'other', name: 'Other' });
  for (const name of ['b', 'a']) await rig.ask(contracts.createFeature, { projectId: 'other', name });
  const found = await evaluate({
    environments: ['production', 'development', 'production'],
    projects: ['other'],
    fields: { userId: ['1', '2'], appName: ['x'] },
  });
  expect(found.map(({ name, environment, context }) => `${name} ${environment} ${context.userId}`)).toEqual(
    ['a', 'b'].flatMap((name) =>
      ['production', 'development'].flatMap((place) => ['1', '2'].map((id) => `${name} ${place} ${id}`)),
    ),
  );
  expect(await evaluate({ projects: [] })).toEqual([]);
  const names = (await evaluate()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['a', 'b', 'flag.1']));
});

test('what the body names must exist', async () => {
  await expect(evaluate({ environments: ['development', 'none'] })).rejects.toMatchObject({
    ...{ code: 'bad-data', message: 'The body names the environment "none", which does not exist.' },
  });
  await expect(evaluate({ projects: ['default', 'gone'] })).rejects.toMatchObject({
    ...{ code: 'bad-data', message: 'The body names the project "gone", which does not exist.' },
  });
});

test('too many combinations are refused before anything is evaluated', async () => {
  const values = Array.from({ length: 200 }, (_, index) => String(index));
  const fields = Object.fromEntries(values.map((name) => [name, values]));
  await expect(evaluate({ fields })).rejects.toMatchObject({ code: 'bad-data', message: /more than 10\^15/ });
  await expect(evaluate({ fields: { a: values, b: values } })).rejects.toMatchObject({ code: 'bad-data' });
});

test('an answer beyond the limit of bytes is refused, and so is an evaluation that fits no message', async () => {
  await rig.ask(contracts.createProject, { id: 'large', name: 'Large' });
  const place = { projectId: 'large', featureName: 'long', environment: 'development' };
  await rig.ask(contracts.createFeature, { projectId: 'large', name: 'long' });
  await rig.ask(contracts.addStrategy, {
    ...place,
    strategy: { name: 'default', constraints: [{ ...ofUser('1'), values: Array(1000).fill('x'.repeat(100)) }] },
  });
  const contexts = Array.from({ length: Math.ceil(maxAnswerBytes / 100_000) }, (_, index) => String(index));
  const asked = { projects: ['large'], fields: { userId: contexts } };
  await expect(evaluate(asked)).rejects.toMatchObject({ code: 'bad-data', message: /more than 50000000 bytes/ });
  expect(await evaluate({ ...asked, fields: { userId: contexts.slice(0, 100) } })).toHaveLength(100);

  // A random text cannot be deflated much, and an evaluation has the payload of a variant up to four times.
  const payload = { type: 'string' as const, value: randomBytes(300_000).toString('base64') };
  await rig.ask(contracts.createFeature, { projectId: 'large', name: 'random' });
  await rig.ask(contracts.addStrategy, {
    ...{ ...place, featureName: 'random' },
    strategy: { name: 'default', variants: [{ ...variant, name: 'red', payload }] },
  });
  await rig.ask(contracts.switchEnvironment, { ...place, featureName: 'random', enabled: true });
  await expect(evaluate({ projects: ['large'] })).rejects.toMatchObject({
    ...{ code: 'bad-data', message: /^The flag random is too large in development/ },
  });
});

test('a long evaluation does not occupy the process', async () => {
  await rig.ask(contracts.createProject, { id: 'long', name: 'Long' });
  const names = Array.from({ length: 100 }, (_, index) => `long.${String(index).padStart(3, '0')}`);
  for (const name of names) await rig.ask(contracts.createFeature, { projectId: 'long', name });
  const values = Array.from({ length: 150 }, (_, index) => String(index));

  const start = performance.now();
  let turn = start;
  let longestTurn = 0;
  let isEvaluated = false;
  const watch = () => {
    longestTurn = Math.max(longestTurn, performance.now() - turn);
    turn = performance.now();
    if (!isEvaluated) setImmediate(watch);
  };
  watch();
  let evaluations = 0;
  const asked = inputOf({ projects: ['long'], fields: { userId: values } });
  for await (const items of rig.bus.requestItems(contracts.evaluatePlayground, asked, contextOf(admin))) {
    // Everything is evaluated before the first items are sent.
    isEvaluated = true;
    evaluations += JSON.parse(`[${Buffer.from(items).toString()}]`).length;
  }
  expect(evaluations).toBe(15_000);
  // Without slices, one turn of the event loop has nearly the whole evaluation.
  expect(longestTurn / (turn - start)).toBeLessThan(0.4);
});
