// Proves the archive over a real bus and Postgres: archiving, reviving and deleting one flag or many, each whole or not
// at all. The dependencies and segments of the flags are inserted by SQL.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';

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
const get = (featureName: string) => rig.ask(contracts.getFeature, { projectId, featureName });
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

describe('deleting', () => {
  it('an archived flag leaves nothing of it, and its name is free', async () => {
    const { createdAt } = await create('gone');
    const featureName = 'gone';
    await rig.ask(contracts.switchEnvironment, { projectId, featureName, environment: 'production', enabled: true });
    await sql`insert into feature_favorites values (7, 'gone')`.execute(rig.db.kysely);
    await sql`insert into feature_links (feature_name, url) values ('gone', 'https://example.com')`.execute(
      rig.db.kysely,
    );
    await sql`insert into feature_last_seen values ('gone', 'production', now())`.execute(rig.db.kysely);
    await expect(rig.ask(contracts.deleteFeature, { featureName })).rejects.toMatchObject({ code: 'conflict' });
    await archive('gone');
    const before = await revisions();
    await rig.ask(contracts.deleteFeature, { featureName });

    const { rows } = await sql<{ table: string; count: number }>`
      ${sql.join(
        ['strategies', 'tags', 'lifecycle', 'collaborators', 'environments', 'favorites', 'links', 'last_seen'].map(
          (noun) => sql`
            select ${noun} as "table", count(*)::integer as count from ${sql.table(`feature_${noun}`)}
            where feature_name = 'gone'`,
        ),
        sql` union all `,
      )}`.execute(rig.db.kysely);
    expect(rows.filter(({ count }) => count > 0)).toEqual([]);
    const deleted = (await rig.events('gone')).at(-1);
    expect(deleted).toMatchObject({
      type: 'feature-deleted',
      project: projectId,
      data: null,
      preData: { name: 'gone', archived: true, createdAt },
      tags: [{ type: 'simple', value: 'blue' }],
    });
    // SDKs forgot the flag when it was archived.
    expect(await revisions()).toEqual(before);
    await expect(rig.ask(contracts.deleteFeature, { featureName })).rejects.toMatchObject({ code: 'not-found' });
    expect(await create('gone')).toMatchObject({ archived: false, enabled: false });
  });

  it('the last flag that uses a segment ends the use', async () => {
    await create('segmented');
    const featureName = 'segmented';
    const { id: strategyId } = await rig.ask(contracts.addStrategy, {
      ...{ projectId, featureName, environment: 'production', strategy: { name: 'default' } },
    });
    const { rows } = await sql<{ id: number }>`
      insert into segments (name, constraints, created_by) values ('adults', '[]', 'a') returning id`.execute(
      rig.db.kysely,
    );
    const segment = rows[0]!.id;
    await sql`insert into strategy_segments values (${strategyId}, ${segment})`.execute(rig.db.kysely);
    await sql`insert into segment_revisions values ('production', ${projectId}, ${segment}, true, 1)`.execute(
      rig.db.kysely,
    );
    await archive('segmented');
    const before = await revisions();
    await rig.ask(contracts.deleteFeatures, many('segmented'));
    const after = await revisions();
    expect(after.production!.default).toBe(before.production!.default! + 1);
    expect(after.development).toEqual(before.development);
    const uses = await rig.db.kysely.selectFrom('segment_revisions').selectAll().execute();
    expect(uses).toEqual([
      {
        environment: 'production',
        project: projectId,
        segment_id: segment,
        is_used: false,
        revision: after.production!.default,
      },
    ]);
  });

  it('of many ignores live and unknown flags', async () => {
    for (const name of ['deleted', 'alive']) await create(name);
    await archive('deleted');
    await rig.ask(contracts.deleteFeatures, many('deleted', 'alive', 'nobody'));
    await expect(get('deleted')).rejects.toMatchObject({ code: 'not-found' });
    expect(await get('alive')).toMatchObject({ archived: false });
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

describe('5,000 flags', () => {
  it('are archived, revived and deleted whole while other flags change', { timeout: 120_000 }, async () => {
    await sql`
      insert into features (name, project, type, impression_data, created_by_user_id)
      select 'bulk-' || lpad(n::text, 4, '0'), ${projectId}, 'release', false, 1 from generate_series(1, 5000) as n`.execute(
      rig.db.kysely,
    );
    await sql`
      insert into feature_environments (feature_name, environment, project)
      select name, environment, project from features join project_environments using (project)
      where name like 'bulk-%'`.execute(rig.db.kysely);
    await sql`insert into feature_lifecycle (feature_name, stage) select name, 'initial' from features where name like 'bulk-%'`.execute(
      rig.db.kysely,
    );
    await create('busy');
    const names = Array.from({ length: 5000 }, (_, index) => `bulk-${String(index + 1).padStart(4, '0')}`);
    const count = async () => {
      const { rows } = await sql<{ live: number; archived: number }>`
        select count(*) filter (where archived_at is null)::integer as live, count(archived_at)::integer as archived
        from features where name like 'bulk-%'`.execute(rig.db.kysely);
      return rows[0]!;
    };
    let isDone = false;
    let patches = 0;
    const patchOthers = async () => {
      for (; !isDone; patches += 1) {
        const operations = [{ op: 'replace' as const, path: '/description', value: `round ${patches}` }];
        await rig.ask(contracts.patchFeature, { projectId, featureName: 'busy', operations });
      }
    };
    const patching = patchOthers();
    try {
      await archive(...names);
      expect(await count()).toEqual({ live: 0, archived: 5000 });
      await rig.ask(contracts.reviveFeatures, many(...names));
      expect(await count()).toEqual({ live: 5000, archived: 0 });
      await archive(...names);
      await rig.ask(contracts.deleteFeatures, many(...names));
      expect(await count()).toEqual({ live: 0, archived: 0 });
    } finally {
      isDone = true;
    }
    await patching;
    expect(patches).toBeGreaterThan(0);
  });
});
