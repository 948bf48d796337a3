import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { isLongRun } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findWrongPlaces } from '../../changes/recounts/recounts.repo.ts';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';
/** In a long run as many as one request may have. */
const total = isLongRun ? 5_000 : 1_000;

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
const revisions = async () => (await rig.ask(contracts.listRevisions, {})).environments;

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
    await rig.ask(contracts.deleteFeature, { featureName });
    expect(await get('gone')).toMatchObject({ archived: false });
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
        bytes: 2,
      },
    ]);
  });

  it('a flag with a segment that another one uses, or that it did not use, changes nothing that SDKs see', async () => {
    const { id: segment } = await rig.ask(contracts.createSegment, { name: 'shared', constraints: [] });
    const use = async (featureName: string, disabled: boolean) => {
      await create(featureName);
      const strategy = { name: 'default', segments: [segment], disabled };
      await rig.ask(contracts.addStrategy, { projectId, featureName, environment: 'production', strategy });
    };
    await use('user', false);
    await use('other-user', false);
    await use('never-used', true);
    await archive('user', 'never-used');
    const before = await revisions();
    await rig.ask(contracts.deleteFeatures, many('user', 'never-used'));
    expect(await revisions()).toEqual(before);
    await archive('other-user');
    const archived = await revisions();
    await rig.ask(contracts.deleteFeatures, many('other-user'));
    expect((await revisions()).production!.default).toBe(archived.production!.default! + 1);
  });

  it('a flag takes the segments that it counted from the size of its place', async () => {
    const { id: segment } = await rig.ask(contracts.createSegment, { name: 'counted', constraints: [] });
    for (const name of ['counted', 'counted-too']) {
      await create(name);
      const place = { projectId, featureName: name, environment: 'production' };
      await rig.ask(contracts.addStrategy, { ...place, strategy: { name: 'default', segments: [segment] } });
    }
    await archive('counted');
    await rig.ask(contracts.deleteFeatures, many('counted'));
    expect(await findWrongPlaces(rig.db.kysely)).toEqual([]);
  });

  it('of many ignores live and unknown flags', async () => {
    for (const name of ['deleted', 'alive']) await create(name);
    await archive('deleted');
    await rig.ask(contracts.deleteFeatures, many('deleted', 'alive', 'nobody'));
    await expect(get('deleted')).rejects.toMatchObject({ code: 'not-found' });
    expect(await get('alive')).toMatchObject({ archived: false });
  });
});

describe(`${total} flags`, () => {
  it('are archived, revived and deleted whole, with tags and segments, while other flags change', {
    timeout: 120_000,
  }, async () => {
    await sql`
      insert into features (name, project, type, impression_data, created_by_user_id)
      select 'bulk-' || lpad(n::text, 4, '0'), ${projectId}, 'release', false, 1 from generate_series(1, ${total}) as n`.execute(
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
    await sql`
      insert into segments (name, constraints, created_by)
      select 'bulk-' || n, '[]', 'a' from generate_series(1, 3) as n`.execute(rig.db.kysely);
    await sql`
      insert into feature_strategies (id, feature_name, environment, name, disabled, sort_order, parameters, constraints, variants)
      select gen_random_uuid(), feature_name, environment, 'default', false, n, '{}', '[]', '[]'
      from feature_environments cross join generate_series(0, 1) as n where feature_name like 'bulk-%'`.execute(
      rig.db.kysely,
    );
    await sql`
      insert into strategy_segments (strategy_id, segment_id)
      select s.id, segments.id from feature_strategies s cross join segments
      where s.feature_name like 'bulk-%' and segments.name like 'bulk-%'`.execute(rig.db.kysely);
    await sql`
      insert into segment_revisions (environment, project, segment_id, is_used, revision)
      select environment, place.project, segments.id, true, 1 from project_environments place cross join segments
      where place.project = ${projectId} and segments.name like 'bulk-%'`.execute(rig.db.kysely);
    await sql`
      insert into feature_tags (feature_name, type, value)
      select name, 'simple', 'blue' from features where name like 'bulk-%'`.execute(rig.db.kysely);
    const countUses = async () => {
      const { rows } = await sql<{ uses: number; rows: number }>`
        select count(*) filter (where is_used)::integer as uses,
          (select count(*)::integer from strategy_segments join feature_strategies on id = strategy_id
            where feature_name like 'bulk-%') as rows
        from segment_revisions join segments on segments.id = segment_id where name like 'bulk-%'`.execute(
        rig.db.kysely,
      );
      return rows[0];
    };
    expect(await countUses()).toEqual({ uses: 6, rows: 12 * total });
    const names = Array.from({ length: total }, (_, index) => `bulk-${String(index + 1).padStart(4, '0')}`);
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
      expect(await count()).toEqual({ live: 0, archived: total });
      await rig.ask(contracts.reviveFeatures, many(...names));
      expect(await count()).toEqual({ live: total, archived: 0 });
      await archive(...names);
      await rig.ask(contracts.deleteFeatures, many(...names));
      expect(await count()).toEqual({ live: 0, archived: 0 });
      expect(await countUses()).toEqual({ uses: 0, rows: 0 });
      const deleted = (await rig.events()).filter(({ type, featureName }) => {
        return type === 'feature-deleted' && featureName?.startsWith('bulk-');
      });
      expect(deleted).toHaveLength(total);
      for (const { tags } of deleted) expect(tags).toEqual([{ type: 'simple', value: 'blue' }]);
    } finally {
      isDone = true;
    }
    await patching;
    expect(patches).toBeGreaterThan(0);
  });
});
