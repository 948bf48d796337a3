// Proves the archive over a real bus and Postgres: archiving, reviving and deleting one flag or many, each whole or not
// at all. The dependencies and segments of the flags are inserted by SQL.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';
const ofAnotherProject: Actor = {
  kind: 'user',
  id: 7,
  username: 'ed',
  grants: [{ permissions: ['DELETE_FEATURE', 'UPDATE_FEATURE'], projects: ['other'] }],
};

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  await sql`insert into projects (id, name) values ('other', 'Other')`.execute(rig.db.kysely);
  await sql`insert into project_environments (project, environment) values ('other', 'development')`.execute(
    rig.db.kysely,
  );
});
afterAll(() => rig?.stop());

const create = (name: string, project = projectId) =>
  rig.ask(contracts.createFeature, { projectId: project, name, tags: [{ type: 'simple', value: 'blue' }] });
/** The flag, archived or not: a patch without operations finds both. */
const get = (featureName: string) => rig.ask(contracts.patchFeature, { projectId, featureName, operations: [] });
const many = (...features: string[]) => ({ projectId, features });
const archive = (...names: string[]) => rig.ask(contracts.archiveFeatures, many(...names));
const dependOn = (child: string, parent: string) =>
  sql`insert into feature_dependencies (child, parent) values (${child}, ${parent})`.execute(rig.db.kysely);
const typesOf = async (name: string) => (await rig.events(name)).map(({ type }) => type);
const revisions = async () => (await rig.ask(contracts.listRevisions, {})).environments;
const areArchived = async (...names: string[]) =>
  await Promise.all(names.map(async (name) => (await get(name)).archived));

describe('archiving', () => {
  it('a flag emits one event, raises the revisions, and a second time does nothing', async () => {
    await create('archived');
    const before = await revisions();
    await rig.ask(contracts.archiveFeature, { projectId, featureName: 'archived' });
    const feature = await get('archived');
    expect(feature).toMatchObject({ archived: true, lifecycle: { stage: 'archived' } });
    expect(await typesOf('archived')).toEqual(['feature-created', 'feature-archived']);
    const after = await revisions();
    for (const environment of ['development', 'production']) {
      expect(after[environment]!.default).toBe(before[environment]!.default! + 1);
    }
    await rig.ask(contracts.archiveFeature, { projectId, featureName: 'archived' });
    expect(await get('archived')).toEqual(feature);
    expect([await revisions(), await typesOf('archived')]).toEqual([after, ['feature-created', 'feature-archived']]);
    await expect(rig.ask(contracts.archiveFeature, { projectId, featureName: 'nobody' })).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('"nobody"'),
    });
  });

  it('a parent alone is refused with the names of its children, and with them removes the dependencies', async () => {
    for (const name of ['parent', 'child', 'beside']) await create(name);
    await dependOn('child', 'parent');
    const refusal = { code: 'invalid-operation', message: expect.stringContaining('"child"') };
    await expect(rig.ask(contracts.archiveFeature, { projectId, featureName: 'parent' })).rejects.toMatchObject(
      refusal,
    );
    await expect(archive('beside', 'parent')).rejects.toMatchObject(refusal);
    const operations = [{ op: 'replace' as const, path: '/archived', value: true }];
    await expect(
      rig.ask(contracts.patchFeature, { projectId, featureName: 'parent', operations }),
    ).rejects.toMatchObject(refusal);
    expect(await areArchived('beside', 'parent', 'child')).toEqual([false, false, false]);

    await archive('parent', 'child');
    expect(await areArchived('parent', 'child')).toEqual([true, true]);
    const [, removed, archived] = await rig.events('child');
    expect(removed).toMatchObject({
      type: 'feature-dependencies-removed',
      data: null,
      preData: { dependencies: [{ feature: 'parent', enabled: true, variants: [] }] },
    });
    expect(archived).toMatchObject({ type: 'feature-archived', data: null, preData: null });
    expect((await get('parent')).children).toEqual([]);
  });

  it('of many ignores unknown and archived flags, and refuses those of another project before anything is done', async () => {
    await create('several-1');
    await create('several-2');
    await create('elsewhere', 'other');
    await expect(archive('several-1', 'elsewhere')).rejects.toMatchObject({
      code: 'operation-denied',
      message: expect.stringContaining('"elsewhere"'),
    });
    expect(await areArchived('several-1')).toEqual([false]);
    await archive('several-2', 'several-1', 'nobody', 'several-1');
    expect(await areArchived('several-1', 'several-2')).toEqual([true, true]);
    const before = await revisions();
    await archive('several-1', 'nobody');
    expect(await revisions()).toEqual(before);
    expect(await typesOf('several-1')).toEqual(['feature-created', 'feature-archived']);
    await expect(rig.ask(contracts.archiveFeatures, { projectId: 'none', features: [] })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('is validated: the parents that lack children, and whether dependencies would be removed', async () => {
    for (const name of ['a-parent', 'a-child', 'alone']) await create(name);
    await dependOn('a-child', 'a-parent');
    const validate = (...names: string[]) => rig.ask(contracts.validateArchiveFeatures, many(...names));
    expect(await validate('a-parent', 'alone', 'nobody')).toEqual({
      parentsWithChildFeatures: ['a-parent'],
      hasDeletedDependencies: true,
    });
    expect(await validate('a-parent', 'a-child')).toEqual({
      parentsWithChildFeatures: [],
      hasDeletedDependencies: true,
    });
    expect(await validate('alone')).toEqual({ parentsWithChildFeatures: [], hasDeletedDependencies: false });
  });
});

describe('reviving', () => {
  it('a flag switches it off and begins a new lifecycle; a live flag stays as it is', async () => {
    await create('back');
    const featureName = 'back';
    await rig.ask(contracts.switchEnvironment, { projectId, featureName, environment: 'production', enabled: true });
    await archive('back');
    await rig.ask(contracts.reviveFeature, { featureName });
    const revived = await get('back');
    expect(revived).toMatchObject({
      archived: false,
      archivedAt: null,
      enabled: false,
      lifecycle: { stage: 'initial' },
    });
    const types = (await typesOf('back')).slice(-2);
    expect(types).toEqual(['feature-environment-disabled', 'feature-revived']);
    await rig.ask(contracts.reviveFeature, { featureName });
    expect((await rig.events('back')).at(-1)?.type).toBe('feature-revived');
    expect(await get('back')).toEqual(revived);
  });

  it('of many revives all of them', async () => {
    for (const name of ['revived-1', 'revived-2']) await create(name);
    await archive('revived-1', 'revived-2');
    await rig.ask(contracts.reviveFeatures, many('revived-2', 'nobody', 'revived-1'));
    expect(await areArchived('revived-1', 'revived-2')).toEqual([false, false]);
  });

  it('in an archived project finds no project', async () => {
    await create('of-other', 'other');
    await rig.ask(contracts.archiveFeature, { projectId: 'other', featureName: 'of-other' });
    await sql`update projects set archived_at = now() where id = 'other'`.execute(rig.db.kysely);
    const notFound = { code: 'not-found', message: expect.stringContaining('"other"') };
    await expect(rig.ask(contracts.reviveFeature, { featureName: 'of-other' })).rejects.toMatchObject(notFound);
    const operations = [{ op: 'replace' as const, path: '/archived', value: false }];
    const patch = { projectId: 'other', featureName: 'of-other', operations };
    await expect(rig.ask(contracts.patchFeature, patch)).rejects.toMatchObject(notFound);
    await sql`update projects set archived_at = null where id = 'other'`.execute(rig.db.kysely);
    expect(await rig.ask(contracts.patchFeature, patch)).toMatchObject({ archived: false });
  });
});

it('reviving and deleting a flag need the permission in its project', async () => {
  await create('guarded');
  await archive('guarded');
  for (const contract of [contracts.reviveFeature, contracts.deleteFeature]) {
    await expect(rig.ask(contract, { featureName: 'guarded' }, ofAnotherProject)).rejects.toMatchObject({
      code: 'no-access',
    });
  }
  expect(await areArchived('guarded')).toEqual([true]);
});
