// Proves the operations on whole flags over a real bus and Postgres: replacing, marking as stale, cloning, validating a
// name. The archive and the moves have tests of their own.
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';

const projectId = 'default';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const create = (name: string, properties: Record<string, unknown> = {}) =>
  rig.ask(contracts.createFeature, { projectId, name, ...properties });
/** The flag, archived or not: a patch without operations finds both. */
const get = (featureName: string) => rig.ask(contracts.patchFeature, { projectId, featureName, operations: [] });
const typesOf = async (name: string) => (await rig.events(name)).map(({ type }) => type);
const revisions = async () => (await rig.ask(contracts.listRevisions, {})).environments;

describe('replacing a flag', () => {
  const put = (featureName: string, properties: Record<string, unknown>) =>
    rig.ask(contracts.updateFeature, { projectId, featureName, ...properties });

  it('sets every changeable property, absent ones to their first values, with the events of a patch', async () => {
    await create('put', { description: 'old', impressionData: true });
    const all = { type: 'experiment', description: 'new', stale: true, impressionData: false };
    expect(await put('put', all)).toMatchObject({ ...all, archived: false });
    expect((await typesOf('put')).slice(1)).toEqual(['feature-metadata-updated', 'feature-stale-on']);
    const first = { type: 'release', description: null, stale: false, impressionData: false };
    expect(await put('put', {})).toMatchObject(first);
    expect((await typesOf('put')).slice(3)).toEqual(['feature-metadata-updated', 'feature-stale-off']);
  });

  it('without effect emits no event and raises no revision', async () => {
    await create('same');
    const before = await revisions();
    await put('same', { description: null });
    expect(await revisions()).toEqual(before);
    expect(await typesOf('same')).toEqual(['feature-created']);
  });

  it('archives and revives it, and changes an archived flag', async () => {
    await create('put-away');
    expect(await put('put-away', { archived: true })).toMatchObject({ archived: true });
    expect(await put('put-away', { description: 'x' })).toMatchObject({ archived: true, description: 'x' });
    expect(await put('put-away', { archived: false })).toMatchObject({ archived: false });
    expect(await typesOf('put-away')).toEqual([
      ...['feature-created', 'feature-archived', 'feature-metadata-updated', 'feature-revived'],
      'feature-metadata-updated',
    ]);
  });

  it('refuses another name than its own', async () => {
    await create('named');
    expect(await put('named', { name: 'named', description: 'kept' })).toMatchObject({ description: 'kept' });
    await expect(put('named', { name: 'renamed', description: 'lost' })).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('"renamed"'),
    });
    expect(await get('named')).toMatchObject({ description: 'kept' });
  });

  it('refuses an unknown type, and names an unknown flag and project', async () => {
    await create('typed');
    await expect(put('typed', { type: 'bogus' })).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('"bogus"'),
    });
    await expect(put('nobody', {})).rejects.toMatchObject({ code: 'not-found' });
    const elsewhere = rig.ask(contracts.updateFeature, { projectId: 'none', featureName: 'typed' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'not-found', message: expect.stringContaining('"none"') });
  });
});

describe('marking flags as stale', () => {
  it('changes those that differ, ignores unknown and archived ones, and emits an event each', async () => {
    for (const name of ['stale-1', 'stale-2', 'stale-3']) await create(name);
    await rig.ask(contracts.archiveFeature, { projectId, featureName: 'stale-3' });
    const mark = (stale: boolean, ...features: string[]) =>
      rig.ask(contracts.staleFeatures, { projectId, features, stale });
    await mark(true, 'stale-1');
    await mark(true, 'stale-2', 'stale-1', 'stale-3', 'nobody');
    for (const name of ['stale-1', 'stale-2']) {
      expect(await get(name)).toMatchObject({ stale: true });
      expect(await typesOf(name)).toEqual(['feature-created', 'feature-stale-on']);
    }
    expect(await get('stale-3')).toMatchObject({ stale: false });
    const before = await revisions();
    await mark(false, 'stale-1', 'stale-2');
    expect(await typesOf('stale-1')).toContain('feature-stale-off');
    expect((await revisions()).production!.default).toBe(before.production!.default! + 1);
  });
});

describe('cloning a flag', () => {
  const clone = (featureName: string, name: string, replaceGroupId?: boolean) =>
    rig.ask(contracts.cloneFeature, { projectId, featureName, name, replaceGroupId });

  it('copies properties, strategies, variants and dependencies, off everywhere, without tags and links', async () => {
    await create('parent');
    const featureName = 'original';
    const properties = { type: 'experiment', description: 'd', impressionData: true };
    await create(featureName, { ...properties, tags: [{ type: 'simple', value: 'blue' }] });
    const strategy = {
      name: 'flexibleRollout',
      title: 't',
      parameters: { rollout: '50', stickiness: 'default', groupId: featureName },
      constraints: [{ contextName: 'userId', operator: 'IN' as const, values: ['1'] }],
      variants: [{ name: 'v', weight: 1000, weightType: 'variable' as const, stickiness: 'default' }],
    };
    const added = await rig.ask(contracts.addStrategy, { projectId, featureName, environment: 'production', strategy });
    await rig.ask(contracts.switchEnvironment, { projectId, featureName, environment: 'production', enabled: true });
    const variants = [{ name: 'blue', weight: 1000 }];
    await sql`
      update feature_environments set variants = ${JSON.stringify(variants)}
      where feature_name = 'original' and environment = 'production'`.execute(rig.db.kysely);
    await sql`insert into feature_dependencies (child, parent, enabled) values ('original', 'parent', false)`.execute(
      rig.db.kysely,
    );

    const copy = await clone('original', 'copy');
    expect(copy).toMatchObject({ name: 'copy', ...properties, enabled: false, tags: [], stale: false });
    expect(copy.dependencies).toEqual([{ feature: 'parent', enabled: false, variants: [] }]);
    const production = copy.environments.find(({ name }) => name === 'production')!;
    expect(production).toMatchObject({ enabled: false, variants });
    const copied = { ...added, id: expect.any(String), featureName: 'copy' };
    const expected = { ...copied, parameters: { ...added.parameters, groupId: 'copy' } };
    expect(production.strategies).toEqual([expected]);
    expect(production.strategies[0]!.id).not.toBe(added.id);
    expect((await rig.events('copy')).map(({ type, data }) => [type, data])).toEqual([
      ['feature-created', expect.objectContaining({ name: 'copy', ...properties })],
      ['feature-dependency-added', { feature: 'parent', enabled: false, variants: [] }],
      ['feature-strategy-add', expected],
    ]);

    const withGroup = await clone('original', 'same-users', false);
    expect(withGroup.environments.flatMap(({ strategies }) => strategies)).toEqual([
      { ...added, id: expect.any(String), featureName: 'same-users' },
    ]);
  });

  it('refuses a name that a flag has, also of an archived one, and finds no archived original', async () => {
    await create('taken');
    await rig.ask(contracts.archiveFeature, { projectId, featureName: 'taken' });
    await expect(clone('original', 'taken')).rejects.toMatchObject({ code: 'name-exists' });
    await expect(clone('taken', 'fresh')).rejects.toMatchObject({ code: 'not-found' });
    await expect(clone('original', 'a b')).rejects.toMatchObject({ code: 'validation' });
  });

  it('by twenty concurrent requests under one name succeeds once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => clone('original', 'raced')));
    const lost = results.filter((result) => result.status === 'rejected');
    expect(lost.map(({ reason }) => reason.code)).toEqual(Array(19).fill('name-exists'));
  });
});

describe('validating a name', () => {
  const validate = (name: string, ofProject?: string | null) =>
    rig.ask(contracts.validateFeature, { name, projectId: ofProject });

  it('accepts a free name, and refuses a taken one, a malformed one and an unknown project', async () => {
    await validate('free');
    await validate('free', null);
    await validate('free', projectId);
    await create('used');
    await expect(validate('used')).rejects.toMatchObject({ code: 'name-exists' });
    await expect(validate('a/b')).rejects.toMatchObject({ code: 'validation' });
    await sql`
      insert into projects (id, name, feature_naming, feature_limit) values ('named', 'Named', '{"pattern":"n-.*"}', 1)`.execute(
      rig.db.kysely,
    );
    await validate('n-free', 'named');
    await expect(validate('free', 'named')).rejects.toMatchObject({ code: 'bad-data' });
    await expect(validate('free', 'none')).rejects.toMatchObject({
      code: 'bad-data',
      message: expect.stringContaining('"none"'),
    });
  });
});

it('clones, revivals and moves keep the naming pattern and the limit of the project', async () => {
  const inNamed = { projectId: 'named', featureName: 'n-first' };
  await rig.ask(contracts.createFeature, { projectId: 'named', name: 'n-first' });
  const clone = (name: string) => rig.ask(contracts.cloneFeature, { ...inNamed, name });
  await expect(clone('other')).rejects.toMatchObject({ code: 'bad-data' });
  const exceeded = { code: 'limit-exceeded', message: expect.stringContaining('"named"') };
  await expect(clone('n-second')).rejects.toMatchObject(exceeded);
  await rig.ask(contracts.archiveFeature, inNamed);
  await rig.ask(contracts.createFeature, { projectId: 'named', name: 'n-third' });
  await expect(rig.ask(contracts.reviveFeature, { featureName: 'n-first' })).rejects.toMatchObject(exceeded);
  const operations = [{ op: 'replace' as const, path: '/archived', value: false }];
  await expect(rig.ask(contracts.patchFeature, { ...inNamed, operations })).rejects.toMatchObject(exceeded);
  await sql`insert into projects (id, name) values ('unlimited', 'Unlimited')`.execute(rig.db.kysely);
  await rig.ask(contracts.createFeature, { projectId: 'unlimited', name: 'moving' });
  const move = { projectId: 'unlimited', featureName: 'moving', newProjectId: 'named' };
  await expect(rig.ask(contracts.changeProject, move)).rejects.toMatchObject(exceeded);
});

it('one environment of a flag is that of the whole flag; another is not found', async () => {
  await create('placed');
  const environment = (name: string) =>
    rig.ask(contracts.getFeatureEnvironment, { projectId, featureName: 'placed', environment: name });
  expect(await environment('production')).toMatchObject((await get('placed')).environments[1]!);
  await expect(environment('staging')).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('"staging"'),
  });
});
