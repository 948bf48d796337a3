// Proves the search of flags over a real bus and Postgres.
import { randomUUID } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { findMatchesOfTexts } from './feature-search.repo.ts';

type Search = z.input<typeof contracts.searchFeatures.input>;

const projectId = 'default';
const hourMs = 3_600_000;
const simple = (value: string) => ({ type: 'simple', value });

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  const create = (name: string, more: Record<string, unknown>) =>
    rig.ask(contracts.createFeature, { projectId, name, ...more });
  await create('alpha', { description: '100%_sure', tags: [simple('red'), simple('blue')] });
  await create('beta', { type: 'experiment', tags: [simple('red')] });
  await create('gamma', { description: 'Alphabet', type: 'kill-switch' });
  await create('delta', {});
  const patch = (featureName: string, path: string) =>
    rig.ask(contracts.patchFeature, { projectId, featureName, operations: [{ op: 'replace', path, value: true }] });
  await patch('beta', '/stale');
  await patch('delta', '/archived');
  await rig.ask(contracts.switchEnvironment, {
    ...{ projectId, featureName: 'gamma', environment: 'production', enabled: true },
  });
  await rig.db.kysely
    .insertInto('feature_last_seen')
    .values({ feature_name: 'gamma', environment: 'production', last_seen_at: new Date('2026-03-01T00:00:00Z') })
    .execute();
  await sql`insert into feature_dependencies (child, parent) values ('alpha', 'beta')`.execute(rig.db.kysely);
  await sql`insert into feature_favorites (user_id, feature_name) values (-42, 'gamma')`.execute(rig.db.kysely);
  await sql`update features set created_at = '2026-01-05T00:00:00Z' where name = 'beta'`.execute(rig.db.kysely);
  await sql`
    with segment as (
      insert into segments (name, constraints, created_by) values ('beta-users', '[]', 'root') returning id
    )
    insert into strategy_segments (strategy_id, segment_id)
    select strategy.id, segment.id from segment cross join feature_strategies strategy
    where strategy.feature_name = 'gamma'`.execute(rig.db.kysely);
});
afterAll(() => rig?.stop());

async function search(filters: Search): Promise<{ names: string[]; total: number }> {
  const { features, total } = await rig.ask(contracts.searchFeatures, { sortBy: 'name', ...filters });
  return { names: features.map(({ name }) => name), total };
}

const is = (...values: string[]) => ({ isNegated: false, values });
const isNot = (...values: string[]) => ({ isNegated: true, values });
const withTags = (isNegated: boolean, match: 'any' | 'all', ...values: string[]) => ({
  ...{ isNegated, match },
  values: values.map(simple),
});
const withSegment = (isNegated: boolean) => ({ isNegated, match: 'any' as const, values: ['beta-users'] });

describe('a search of flags', () => {
  it.each<[string, Search, string[]]>([
    ['everything that is not archived', {}, ['alpha', 'beta', 'gamma']],
    ['a text in name or description, in any case', { texts: ['ALPHA'] }, ['alpha', 'gamma']],
    ['a text in a tag', { texts: ['simple:re'] }, ['alpha', 'beta']],
    ['one of several texts', { texts: ['eta', 'bet'] }, ['beta', 'gamma']],
    ['a text with the wildcards of SQL', { texts: ['0%_s'] }, ['alpha']],
    ['a wildcard that no flag contains', { texts: ['a_p'] }, []],
    ['a project', { project: is(projectId) }, ['alpha', 'beta', 'gamma']],
    ['other projects', { project: isNot(projectId) }, []],
    ['types', { type: is('experiment', 'kill-switch') }, ['beta', 'gamma']],
    ['other types', { type: isNot('experiment', 'kill-switch') }, ['alpha']],
    ['stale flags', { state: is('stale') }, ['beta']],
    ['active flags', { state: is('active') }, ['alpha', 'gamma']],
    ['potentially stale flags', { state: is('potentially-stale') }, []],
    ['an unknown state', { state: is('nonsense') }, []],
    ['a stage', { lifecycle: is('initial') }, ['alpha', 'beta', 'gamma']],
    ['other stages', { lifecycle: isNot('initial') }, []],
    ['the stage archived', { lifecycle: is('archived') }, ['delta']],
    ['archived flags', { archived: true }, ['delta']],
    ['a creator', { createdBy: is('-42') }, ['alpha', 'beta', 'gamma']],
    ['other creators', { createdBy: isNot('-42') }, []],
    ['any of several tags', { tag: withTags(false, 'any', 'red', 'none') }, ['alpha', 'beta']],
    ['all of several tags', { tag: withTags(false, 'all', 'red', 'blue') }, ['alpha']],
    ['no tag of several', { tag: withTags(true, 'any', 'blue', 'none') }, ['beta', 'gamma']],
    ['not all of several tags', { tag: withTags(true, 'all', 'red', 'blue') }, ['beta', 'gamma']],
    ['a segment', { segment: withSegment(false) }, ['gamma']],
    ['no segment', { segment: withSegment(true) }, ['alpha', 'beta']],
    ['on in an environment', { status: [{ environment: 'production', enabled: true }] }, ['gamma']],
    [
      'one of several states of environments',
      {
        status: [
          { environment: 'production', enabled: true },
          { environment: 'nowhere', enabled: false },
        ],
      },
      ['gamma'],
    ],
    ['favorites of the caller', { favorite: true }, ['gamma']],
    ['other flags than favorites', { favorite: false }, ['alpha', 'beta']],
    ['made before a day', { createdAt: { operator: 'before', day: '2026-01-06' } }, ['beta']],
    ['made on a day or after', { createdAt: { operator: 'on-or-after', day: '2026-01-06' } }, ['alpha', 'gamma']],
    ['seen before a day', { lastSeenAt: { operator: 'before', day: '2026-03-02' } }, ['gamma']],
    ['seen on a day or after', { lastSeenAt: { operator: 'on-or-after', day: '2026-03-02' } }, []],
    ['several filters together', { texts: ['alpha'], type: is('kill-switch'), state: is('active') }, ['gamma']],
  ])('finds %s', async (_title, filters, names) => {
    expect(await search(filters)).toEqual({ names, total: names.length });
  });

  it('sorts by a field in both orders, and puts favorites first', async () => {
    expect((await search({ sortBy: 'name', sortOrder: 'desc' })).names).toEqual(['gamma', 'beta', 'alpha']);
    expect((await search({ sortBy: 'createdAt' })).names).toEqual(['beta', 'alpha', 'gamma']);
    expect((await search({ sortBy: 'stale', sortOrder: 'desc' })).names[0]).toBe('beta');
    expect((await search({ sortBy: 'lastSeenAt' })).names[0]).toBe('gamma');
    expect((await search({ sortBy: 'environment', sortEnvironment: 'production', sortOrder: 'desc' })).names[0]).toBe(
      'gamma',
    );
    expect((await search({ favoritesFirst: true })).names).toEqual(['gamma', 'alpha', 'beta']);
  });

  it('has pages, each with the exact number of all matches', async () => {
    expect(await search({ limit: 2 })).toEqual({ names: ['alpha', 'beta'], total: 3 });
    expect(await search({ limit: 2, offset: 2 })).toEqual({ names: ['gamma'], total: 3 });
    expect(await search({ offset: 50 })).toEqual({ names: [], total: 3 });
  });

  it('shows how often each environment evaluated a flag in the last hour, over all applications', async () => {
    const hour = (ago: number) => new Date(Math.floor(Date.now() / hourMs) * hourMs - ago * hourMs).toISOString();
    const common = { featureName: 'alpha', variants: {}, lastMoment: hour(0), environment: 'production' };
    await rig.ask(contracts.reportUsage, {
      batchId: randomUUID(),
      rows: [
        { ...common, application: 'shop', hour: hour(0), yes: 3, no: 1 },
        { ...common, application: 'blog', hour: hour(0), yes: 4, no: 1 },
        { ...common, application: 'shop', hour: hour(2), yes: 50, no: 50 },
      ],
    });
    const { features } = await rig.ask(contracts.searchFeatures, { texts: ['alpha'], sortBy: 'name' });
    expect(features[0]?.environments).toMatchObject([
      { name: 'development', yes: 0, no: 0 },
      { name: 'production', yes: 7, no: 2 },
    ]);
  });

  it('shows a flag without its strategies', async () => {
    const { features } = await rig.ask(contracts.searchFeatures, { texts: ['gamma'] });
    expect(features[0]).toMatchObject({
      ...{ name: 'gamma', type: 'kill-switch', favorite: true, dependencyType: null, segments: ['beta-users'] },
      ...{ tags: [], lifecycle: { stage: 'initial' }, createdBy: { id: -42 } },
      environments: [
        { name: 'development', enabled: false, hasStrategies: false, lastSeenAt: null },
        {
          ...{ name: 'production', enabled: true, hasStrategies: true, hasEnabledStrategies: true, variantCount: 0 },
          lastSeenAt: '2026-03-01T00:00:00.000Z',
        },
      ],
    });
    const both = await rig.ask(contracts.searchFeatures, { texts: ['alpha', 'beta'], sortBy: 'name' });
    expect(both.features.map(({ dependencyType }) => dependencyType)).toEqual(['child', 'parent', null]);
    expect(both.features[0]?.tags).toEqual([
      { ...simple('blue'), color: null },
      { ...simple('red'), color: null },
    ]);
  });
});

it('says for whom a flag is on, in a bounded form, when it is asked for', async () => {
  const add = (strategy: Record<string, unknown>) =>
    rig.ask(contracts.addStrategy, {
      ...{ projectId, featureName: 'beta', environment: 'development' },
      strategy: { name: 'flexibleRollout', ...strategy },
    });
  const many = Array.from({ length: 5 }, (_, index) => `${index}`.repeat(60));
  await add({
    title: 'Nordic',
    parameters: { rollout: '25' },
    constraints: [
      { contextName: 'country', operator: 'IN', values: many, inverted: true },
      { contextName: 'age', operator: 'NUM_GT', value: '17' },
      { contextName: 'country', operator: 'IN', values: ['NO'] },
    ],
  });
  await add({ disabled: true });
  for (let index = 0; index < 3; index++) await add({ name: 'gradualRolloutRandom', parameters: { percentage: '9' } });

  const { features } = await rig.ask(contracts.searchFeatures, { texts: ['beta'], targeting: true });
  const [development, production] = features[0]!.environments;
  const rest = { name: 'gradualRolloutRandom', title: null, rollout: '9', segmentCount: 0, constraintCount: 0 };
  expect(development?.targeting).toEqual({
    strategyCount: 5,
    strategies: [
      {
        ...{ name: 'flexibleRollout', title: 'Nordic', rollout: '25', segmentCount: 0, constraintCount: 3 },
        constraints: [
          {
            ...{ contextName: 'country', operator: 'IN', inverted: true, valueCount: 5 },
            values: ['0', '1', '2'].map((digit) => digit.repeat(50)),
          },
          { contextName: 'age', operator: 'NUM_GT', inverted: false, valueCount: 1, values: ['17'] },
        ],
      },
      { ...rest, constraints: [] },
      { ...rest, constraints: [] },
    ],
  });
  expect(production?.targeting).toEqual({ strategyCount: 0, strategies: [] });
});

describe('searches of texts that Postgres compares for long', () => {
  beforeAll(async () => {
    await sql`
      insert into features (name, project, type, description, impression_data, created_by_user_id)
      select 'costly-' || n, 'default', 'release', repeat('a', 10000), false, -42 from generate_series(1, 8) n`.execute(
      rig.db.kysely,
    );
  });

  const texts = [`${'a'.repeat(990)}b`];

  it('end with a sentence', async () => {
    const search = contracts.searchFeatures.input.parse({ texts });
    await expect(findMatchesOfTexts(rig.db, search, null, 50)).rejects.toMatchObject({
      ...{ code: 'bad-data', message: expect.stringContaining('takes longer than 0.05 seconds') },
    });
  });

  it('leave connections to changes', async () => {
    let ended = 0;
    const searches = Array.from({ length: 8 }, async () => {
      await rig.ask(contracts.searchFeatures, { texts });
      ended += 1;
    });
    await rig.ask(contracts.createFeature, { projectId, name: 'beside-searches' });
    expect(ended).toBeLessThan(8);
    await Promise.all(searches);
  });
});
