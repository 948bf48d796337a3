// The playground over HTTP: its answers agree with those of a real SDK, and bad input is refused.

import type { TestSystem } from '@yardarm/testing';
import { longTest } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { type Context, InMemStorageProvider, startUnleash } from 'unleash-client';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';

const path = '/api/admin/playground';
const features = '/api/admin/projects/default/features';
const isUser = (...values: string[]) => ({ contextName: 'userId', operator: 'IN', values });
const rollout = (percentage: number) => ({
  ...{ name: 'flexibleRollout' },
  parameters: { rollout: String(percentage), stickiness: 'userId', groupId: 'playground' },
});
const variants = ['red', 'blue'].map((name) => ({
  ...{ name, weight: 500, weightType: 'variable', stickiness: 'userId' },
  payload: { type: 'string', value: name },
}));

let system: TestSystem;

const post = (at: string, body: unknown) => system.call('POST', at, { body });

async function newFlag(name: string, strategies: object[], parent?: object): Promise<void> {
  expect((await post(features, { name })).status).toBe(201);
  for (const strategy of strategies) {
    expect((await post(`${features}/${name}/environments/development/strategies`, strategy)).status).toBe(200);
  }
  await post(`${features}/${name}/environments/development/on`, undefined);
  if (parent) expect((await post(`${features}/${name}/dependencies`, parent)).status).toBe(200);
}

beforeAll(async () => {
  system = await startSystem();
  const constraints = [isUser('1', '2'), { contextName: 'country', operator: 'NOT_IN', values: ['SE'] }];
  const { body: segment } = await post('/api/admin/segments', { name: 'friends', constraints });
  await post('/api/admin/strategies', { name: 'own', parameters: [] });
  await newFlag('half', [rollout(50)]);
  await newFlag('variants', [{ ...rollout(70), variants }]);
  await newFlag('segment', [{ name: 'default', segments: [segment.id], constraints: [isUser('2', '3')] }]);
  await newFlag('later', [
    {
      name: 'default',
      constraints: [{ contextName: 'currentTime', operator: 'DATE_AFTER', value: '2030-01-01T00:00:00Z' }],
    },
  ]);
  await newFlag('custom', [{ name: 'own' }]);
  await newFlag('child', [{ name: 'default' }], { feature: 'variants', variants: ['red'] });
  await system.processAll();
});

afterAll(() => system?.stop());

test('the simple playground answers every flag as unleash-client does, for many users', async () => {
  const unleash = await startUnleash({
    ...{
      url: `${system.url}/api/`,
      appName: 'shop',
      disableMetrics: true,
      storageProvider: new InMemStorageProvider(),
    },
    customHeaders: { authorization: system.clientTokens.development },
  });
  try {
    let isOn = 0;
    for (let id = 1; id <= 40; id += 1) {
      const context = { userId: String(id), properties: { country: id % 2 === 0 ? 'SE' : 'NO' } } satisfies Context;
      const input = { environment: 'development', projects: '*', context: { appName: 'shop', ...context } };
      const { status, body } = await post(path, input);
      expect({ status, input: body.input }).toEqual({ status: 200, input });
      expect(body.features).toHaveLength(6);
      for (const { name, isEnabled, variant } of body.features) {
        expect([name, isEnabled]).toEqual([name, unleash.isEnabled(name, context)]);
        expect([name, variant]).toEqual([name, unleash.getVariant(name, context)]);
        if (isEnabled) isOn += 1;
      }
    }
    expect(isOn).toBeGreaterThan(20);
  } finally {
    unleash.destroy();
  }
});

test('the advanced playground has every combination in every environment, as the simple one', async () => {
  const input = {
    environments: ['development', 'production'],
    projects: ['default'],
    context: {
      appName: 'shop',
      userId: '1,2',
      currentTime: '2031-01-01T00:00:00Z',
      country: 'NO,SE',
      odd: { deep: [1] },
    },
  };
  const { status, body } = await post(`${path}/advanced`, input);
  expect({ status, input: body.input, warnings: body.warnings }).toEqual({
    ...{ status: 200, input, warnings: { invalidContextProperties: ['odd'] } },
  });
  expect(body.features.map(({ name }: { name: string }) => name)).toEqual([
    ...['child', 'custom', 'half', 'later', 'segment', 'variants'],
  ]);
  for (const { name, projectId, environments } of body.features) {
    expect([projectId, Object.keys(environments)]).toEqual(['default', input.environments]);
    for (const [environment, evaluations] of Object.entries<Record<string, unknown>[]>(environments)) {
      expect(evaluations.map(({ context }) => context)).toEqual(
        ['1', '2'].flatMap((userId) =>
          ['NO', 'SE'].map((country) => ({
            ...{ appName: 'shop', userId, country, currentTime: '2031-01-01T00:00:00Z' },
          })),
        ),
      );
      for (const { context, environment: place, ...evaluation } of evaluations) {
        const simple = await post(path, { environment, projects: ['default'], context });
        const same = simple.body.features.find((feature: { name: string }) => feature.name === name);
        const { featureEnabled, ...variant } = same.variant;
        expect([place, evaluation]).toEqual([environment, { ...same, variant }]);
        expect(featureEnabled).toBe(variant.feature_enabled);
      }
    }
  }
});

test('a comma separates values only in the advanced playground', async () => {
  const context = { appName: 'shop', userId: '1,2' };
  const { body } = await post(path, { environment: 'development', context });
  expect(body.features.find(({ name }: { name: string }) => name === 'segment').strategies.data[0]).toMatchObject({
    ...{ constraints: [{ result: false }], segments: [{ name: 'friends', constraints: [{ result: false }, {}] }] },
  });
});

test('numbers at the top of a context are texts in the simple playground and invalid in the advanced one', async () => {
  const context = { appName: 'shop', userId: 2, country: 47 };
  const { body } = await post(`${path}/advanced`, { environments: ['development'], context });
  expect(body).toMatchObject({
    ...{ input: { context: { userId: '2', country: 47 } }, warnings: { invalidContextProperties: ['country'] } },
  });
  expect(body.features[0].environments.development[0].context).toEqual({ appName: 'shop', userId: '2' });
  const constraints = [{ contextName: 'country', operator: 'NUM_EQ', value: '47' }];
  await newFlag('numbered', [{ name: 'default', constraints }]);
  const simple = await post(path, { environment: 'development', context });
  const isOn = (of: { name: string }[]) => of.find(({ name }) => name === 'numbered');
  expect(isOn(simple.body.features)).toMatchObject({ isEnabled: true });
});

longTest('an answer of many pieces is one document', async () => {
  const users = Array.from({ length: 400 }, (_, index) => String(index));
  const input = { environments: ['development', 'production'], context: { appName: 'shop', userId: users.join(',') } };
  const { body } = await post(`${path}/advanced`, input);
  for (const { environments } of body.features) {
    for (const evaluations of Object.values<{ context: { userId: string } }[]>(environments)) {
      expect(evaluations.map(({ context }) => context.userId)).toEqual(users);
    }
  }
  expect(body.features).toHaveLength(7);
  expect((await post(`${path}/advanced`, { ...input, projects: [] })).body).toEqual({
    ...{ features: [], input: { ...input, projects: [] } },
  });
});

describe('bad input', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const simple = { environment: 'development', context: { appName: 'shop' } };
  const many = Array.from({ length: 3000 }, (_, index) => index).join(',');

  it.each([
    ['no context', '', { environment: 'development' }, '.context'],
    ['a context that is a list', '', { ...simple, context: [] }, '.context'],
    ['a context that is a text', '', { ...simple, context: 'x' }, '.context'],
    ['no appName', '', { ...simple, context: {} }, '.context.appName'],
    ['an empty appName', '', { ...simple, context: { appName: '' } }, '.context.appName'],
    ['a userId that is a list', '', { ...simple, context: { appName: 'x', userId: ['1'] } }, '.context.userId'],
    ['a userId with U+0000', '', { ...simple, context: { appName: 'x', userId: 'a\u0000' } }, '.context.userId'],
    [
      'a userId with half a character',
      '/advanced',
      { environments: ['development'], context: { appName: 'x', userId: '1,\ud800' } },
      '.context.userId',
    ],
    [
      'a property with U+0000',
      '',
      { ...simple, context: { appName: 'x', properties: { country: '\u0000' } } },
      '.context.properties.country',
    ],
    ['a time that is none', '', { ...simple, context: { appName: 'x', currentTime: 'now' } }, '.context.currentTime'],
    [
      'properties that are a text',
      '',
      { ...simple, context: { appName: 'x', properties: 'x' } },
      '.context.properties',
    ],
    [
      'a property that is an object',
      '',
      { ...simple, context: { appName: 'x', properties: { y: {} } } },
      '.context.properties.y',
    ],
    ['no environment', '', { context: simple.context }, '.environment'],
    ['an unknown environment', '', { ...simple, environment: 'none' }, 'environment "none"'],
    ['an unknown project', '', { ...simple, projects: ['none'] }, 'project "none"'],
    ['projects that are a text', '', { ...simple, projects: 'default' }, '.projects'],
    ['no environments', '/advanced', { environments: [], context: simple.context }, '.environments'],
    ['environments as a text', '/advanced', { environments: 'development', context: simple.context }, '.environments'],
    [
      'too many combinations',
      '/advanced',
      { environments: ['development'], context: { appName: 'shop', userId: many } },
      '21000 evaluations',
    ],
    [
      'too many values',
      '/advanced',
      { environments: ['development'], context: { appName: 'shop', userId: '1,'.repeat(200_000) } },
      '.context.userId',
    ],
  ])('%s is a 400 that names it', async (_title, route, body, named) => {
    const answer = await post(path + route, body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body).replaceAll('\\', '')).toContain(named);
  });

  it.each([1000, 50_000])('a context nested %i deep is a 400', async (depth) => {
    for (const [route, place] of [
      ['', '"environment":"development"'],
      ['/advanced', '"environments":["development"]'],
    ]) {
      const answer = await post(path + route, `{${place},"context":{"appName":"shop","odd":${nested(depth)}}}`);
      expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('nested deeper') } });
    }
  });

  it('names that objects inherit are fields as any other', async () => {
    const context =
      '{"appName":"shop","__proto__":"x","constructor":"y","properties":{"__proto__":"1","toString":"2"}}';
    const { status, body } = await post(`${path}/advanced`, `{"environments":["development"],"context":${context}}`);
    expect(status).toBe(200);
    expect(body.features[0].environments.development[0].context).toMatchObject({ constructor: 'y', toString: '2' });
  });
});
