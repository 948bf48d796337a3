// Proves that no migration after the released state breaks the services of that state, as far as its text shows it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { migrations as accounts } from '@yardarm/accounts/migrations';
import { migrations as events } from '@yardarm/events/migrations';
import { migrations as flags } from '@yardarm/flags/migrations';
import { migrations as integrations } from '@yardarm/integrations/migrations';
import { migrations as signals } from '@yardarm/signals/migrations';
import { expect, test } from 'vitest';
import { breakingChanges } from './breaking-changes.ts';
import { type Released, released, upgradeProblems } from './released.ts';

const sourceOf = (service: string, name: string) =>
  readFileSync(path.resolve(import.meta.dirname, '../../services', service, 'db/migrations', `${name}.ts`), 'utf8');

test.each([accounts, events, flags, integrations, signals])(
  'the migrations of $service keep services of the released state running',
  (set) => {
    expect(upgradeProblems(set, released, (name) => sourceOf(set.service, name))).toEqual([]);
  },
);

test.each([
  ['alter table features drop column name', 'drops a table'],
  ['alter table features drop name', 'drops a column'],
  ['drop table features', 'drops a table'],
  ['alter table features rename to flags', 'renames'],
  ['alter table features rename column name to title', 'renames'],
  ['alter table features rename name to title', 'renames'],
  ['alter table features alter column name set not null', 'forbids null'],
  ['alter table features alter name type integer', 'changes the type'],
  ['alter table features alter name drop default', 'removes the default'],
  ['alter table features\n  add title text not null,\n  add bytes integer', 'adds a column'],
  ['alter table features add column title varchar(10, 2) not null', 'adds a column'],
  ['revoke update on features from flags', 'takes a right'],
])('%j breaks services of the release before', (statement, what) => {
  expect(breakingChanges(`await sql\`${statement}\`.execute(db);`)).toContainEqual(expect.stringMatching(`^${what}`));
});

test.each([
  'create table flags (name text not null)',
  "alter table features add title text not null default ''",
  'alter table features add bytes integer not null generated always as (octet_length(title)) stored',
  'alter table features add title text, add constraint features_title_check check (title is not null)',
  'alter table features drop constraint features_pkey',
  'create index features_idx on features (name)',
])('%j breaks nothing', (statement) => {
  expect(breakingChanges(`// drop table features\nawait sql\`${statement}\`.execute(db);`)).toEqual([]);
});

test("what Kysely's builder does is found", () => {
  expect(breakingChanges("await db.schema.dropTable('features').execute();")).toEqual(['calls dropTable']);
});

test.each([
  ['integrations', '0004-one-row-per-delivery'],
  ['signals', '0004-signal-partitions'],
])('the migration of %s that needed a stop of the service is found (%s)', (service, name) => {
  expect(breakingChanges(sourceOf(service, name))).toContainEqual(expect.stringMatching('renames|drops'));
});

test('what breaks needs a migration of the released state, and the released ones have to be there', () => {
  const up = async () => {};
  const state: Released = { ...released, last: { ...released.last, flags: '0002-b' } };
  const problems = (needs?: string) => {
    const dropping = needs === undefined ? { up } : { up, needs };
    const set = { service: 'flags' as const, migrations: { '0001-a': { up }, '0002-b': { up }, '0003-c': dropping } };
    return upgradeProblems(set, state, () => 'sql`drop table a`');
  };
  expect(problems()).toEqual([expect.stringMatching(/^flags 0003-c drops a table.*release later/)]);
  expect(problems('0002-b')).toEqual([]);
  expect(problems('0003-c')).toEqual([expect.stringMatching('could not run with it')]);
  expect(problems('0000-none')).toEqual([expect.stringMatching('could not run with it')]);
  const without = { service: 'flags' as const, migrations: { '0001-a': { up } } };
  expect(upgradeProblems(without, state, () => '')).toEqual(['flags lacks the released migration 0002-b.']);
});
