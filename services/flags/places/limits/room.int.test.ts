// Proves over a real bus and Postgres that definitions of a kind have a bound of bytes together. Those of context
// fields and types of strategies are beside their own tests.
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const exceeded = { code: 'limit-exceeded', message: expect.stringContaining('10000000 bytes together') };

/** What the racing calls that succeeded returned. The others were refused by the bound. */
async function winners<Made>(calls: readonly Promise<Made>[]): Promise<Made[]> {
  const settled = await Promise.allSettled(calls);
  for (const each of settled) if (each.status === 'rejected') expect(each.reason).toMatchObject(exceeded);
  return settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

test('segments have at most so many bytes together, however many writers race, and may shrink beyond it', async () => {
  await sql`
    insert into segments (name, constraints, created_by)
    select 'large-' || n, json_build_array(json_build_object('values', repeat('x', 495000))), 'test'
    from generate_series(1, 20) n`.execute(rig.db.kysely);
  const constraints = (bytes: number) => [
    {
      ...{ contextName: 'userId', operator: 'IN' as const, inverted: false, caseInsensitive: false },
      values: Array.from({ length: bytes / 100 }, (_, n) => String(n).padStart(97, 'x')),
    },
  ];
  const create = (name: string) =>
    rig.ask(contracts.createSegment, { name, project: null, constraints: constraints(40_000) });
  const made = await winners(['a', 'b', 'c', 'd'].map(create));
  expect(made).toHaveLength(2);
  const { id, name } = made[0]!;
  const update = (bytes: number) =>
    rig.ask(contracts.updateSegment, { id, name, project: null, constraints: constraints(bytes) });
  await expect(update(95_000)).rejects.toMatchObject(exceeded);
  await sql`insert into segments (name, description, constraints, created_by) values ('beyond', repeat('x', 1000000), '[]', 'test')`.execute(
    rig.db.kysely,
  );
  await update(20_000);
  await expect(update(41_000)).rejects.toMatchObject(exceeded);
});

test('tag types have at most so many bytes together', async () => {
  await sql`
    insert into tag_types (name, description, icon)
    select 'large-' || n, repeat('x', 990000), '#' from generate_series(1, 10) n`.execute(rig.db.kysely);
  const create = (name: string) =>
    rig.ask(contracts.createTagType, { name, description: 'x'.repeat(255), icon: '#', color: null });
  const names = Array.from({ length: 300 }, (_, n) => `small-${n}`);
  const made = await winners(names.map(create));
  expect(made.length).toBeGreaterThan(100);
  expect(made.length).toBeLessThan(300);
  const { name } = made[0]!;
  await sql`insert into tag_types (name, description) values ('beyond', repeat('x', 1000000))`.execute(rig.db.kysely);
  const update = (description: string) => rig.ask(contracts.updateTagType, { name, description });
  await update('short');
  await expect(update('a longer one')).rejects.toMatchObject(exceeded);
});

test('tags have at most so many bytes together, however they are made', async () => {
  const { kysely } = rig.db;
  await sql`insert into tag_types (name) values ('team')`.execute(kysely);
  await sql`insert into tags (type, value) select 'team', lpad(n::text, 46, 'x') from generate_series(1, 39990) n`.execute(
    kysely,
  );
  await rig.ask(contracts.createFeature, { projectId: 'default', name: 'tagged' });
  const values = Array.from({ length: 20 }, (_, n) => `new-${n}`);
  const made = await winners<unknown>([
    ...values.map((value) => rig.ask(contracts.createTag, { type: 'team', value })),
    ...values.map((value) =>
      rig.ask(contracts.addFeatureTag, { featureName: 'tagged', type: 'team', value: `${value}-of-flag` }),
    ),
  ]);
  const tags = values.map((value) => ({ type: 'team', value: `${value}-of-creation` }));
  const creation = { projectId: 'default', name: 'tagged-at-creation', tags };
  await expect(rig.ask(contracts.createFeature, creation)).rejects.toMatchObject(exceeded);
  expect(made.length).toBeGreaterThan(0);
  expect(made.length).toBeLessThan(20);
  const known = { type: 'team', value: `${'x'.repeat(45)}7` };
  expect(await rig.ask(contracts.addFeatureTag, { featureName: 'tagged', ...known })).toEqual(known);
});

test('descriptions of projects have at most so many bytes together in a list, and may shrink beyond it', async () => {
  await sql`
    insert into projects (id, name, description)
    select 'large-' || n, 'Large', repeat(chr(1), 10000) from generate_series(1, 166) n`.execute(rig.db.kysely);
  const create = (id: string, description: string | null) =>
    rig.ask(contracts.createProject, { id, name: id, description });
  // 40,000 bytes are left, and an escaped character has six.
  const ids = ['a', 'b', 'c', 'd'];
  const made = await winners(ids.map((id) => create(id, '\u0001'.repeat(2_500))));
  expect(made).toHaveLength(2);
  await create('without', null);
  const { id: projectId } = made[0]!;
  const update = (description: string) => rig.ask(contracts.updateProject, { projectId, name: projectId, description });
  await expect(update('\u0001'.repeat(5_000))).rejects.toMatchObject(exceeded);
  await sql`insert into projects (id, name, description) values ('beyond', 'Beyond', repeat(chr(1), 10000))`.execute(
    rig.db.kysely,
  );
  await update('\u0001'.repeat(100));
  await expect(update('\u0001'.repeat(200))).rejects.toMatchObject(exceeded);
  await rig.ask(contracts.updateProject, { projectId, name: 'Renamed' });
});
