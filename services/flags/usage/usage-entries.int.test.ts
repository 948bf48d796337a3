// Each token makes a bounded number of rows of usage in a day, whatever names and times its reports have.
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { omittedUsageEntries } from '../metrics.ts';
import type { FlagsRig } from '../testing/flags-rig.ts';
import { hoursAgo, startUsageRig, usageLeader, usageReports, usageRow } from '../testing/usage-reports.ts';
import { deleteOldUsage } from './retention.repo.ts';
import { usageBounds } from './usage.ts';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startUsageRig();
  await rig.ask(contracts.createFeature, { projectId: 'default', name: 'evaluated' });
});
beforeEach(async () => {
  await sql`delete from feature_usage`.execute(rig.db.kysely);
  await sql`delete from usage_entries`.execute(rig.db.kysely);
});
afterAll(() => rig?.stop());

const { report, stored } = usageReports(() => rig);
const client = (tokenId: number) => ({ tokenId });
const frontend = (tokenId: number) => ({ tokenId, isFrontend: true });
const allFrontends = -2;
const { frontendEntriesOfToken: share, frontendEntries, entriesOfToken } = usageBounds;

/** As if the token had made so many entries today. */
const made = (tokenId: number, entries: number, daysAgo = 0) =>
  sql`insert into usage_entries (token_id, day, entries)
    values (${tokenId}, (now() at time zone 'UTC')::date - ${daysAgo}::integer, ${entries})`.execute(rig.db.kysely);

const names = (count: number) => Array.from({ length: count }, (_, index) => `invented-${index}`);
const attack = (by: object) =>
  names(10).flatMap((application) =>
    [0, 1, 30].map((hours) =>
      usageRow('evaluated', { application, hour: hoursAgo(hours), variants: { [application]: 1 }, ...by }),
    ),
  );
const totalOf = (rows: Awaited<ReturnType<typeof stored>>) => rows.reduce((sum, { yes }) => sum + yes, 0);
const namesOf = (rows: Awaited<ReturnType<typeof stored>>) => [...new Set(rows.map(({ application }) => application))];

describe('a token that has made its rows of the day', () => {
  it.each([
    ['of frontends', frontend(1), share],
    ['of clients', client(1), entriesOfToken],
  ])('makes one more row for each flag and hour, %s, and no count is lost', async (_, by, bound) => {
    await made(1, bound - 6);
    const before = (await omittedUsageEntries.get()).values[0]!.value;
    const rows = attack(by);
    await report(rows);
    // A row with a variant is two entries.
    const afterwards = await stored('evaluated');
    expect(afterwards.filter(({ application }) => application !== 'other-applications')).toHaveLength(3);
    const others = { environment: 'development', application: 'other-applications', hour: hoursAgo(0), variants: {} };
    expect(afterwards).toContainEqual({ ...others, yes: 27 * 3, no: 27 * 2 });
    expect(totalOf(afterwards)).toBe(3 * rows.length);
    expect((await omittedUsageEntries.get()).values[0]!.value).toBe(before + 27 * 2);
    await report(rows);
    const again = await stored('evaluated');
    expect(again).toHaveLength(4);
    expect(totalOf(again)).toBe(2 * 3 * rows.length);
  });

  it('adds no names of variants to a row, and its known ones still count', async () => {
    const variants = { blue: 1 };
    await report([usageRow('evaluated', { variants, ...frontend(1) })]);
    await sql`update usage_entries set entries = ${share} where token_id = 1`.execute(rig.db.kysely);
    await report([usageRow('evaluated', { variants: { blue: 1, invented: 1 }, ...frontend(1) })]);
    expect(await stored('evaluated')).toMatchObject([{ application: 'shop', yes: 6, variants: { blue: 2 } }]);
    expect((await stored('evaluated'))[0]!.variants).toEqual({ blue: 2 });
  });

  it('leaves other tokens their rows, until those of all frontends are used up', async () => {
    await made(1, share);
    await report([usageRow('evaluated', { application: 'first', ...frontend(1) })]);
    await report([usageRow('evaluated', { application: 'web', ...frontend(2) })]);
    await report([usageRow('evaluated', { application: 'back', ...client(3) })]);
    await report([usageRow('evaluated', { application: 'older-gateway' })]);
    expect(namesOf(await stored('evaluated'))).toEqual(['back', 'older-gateway', 'other-applications', 'web']);
    await sql`update usage_entries set entries = ${frontendEntries} where token_id = ${allFrontends}`.execute(
      rig.db.kysely,
    );
    await report([usageRow('evaluated', { application: 'late', ...frontend(4) })]);
    await report([usageRow('evaluated', { application: 'late-back', ...client(3) })]);
    const later = namesOf(await stored('evaluated'));
    expect(later).toContain('late-back');
    expect(later).not.toContain('late');
  });

  it('cannot exceed them by reports at once', async () => {
    await made(1, share - 3);
    const racing = names(20).map((application) => report([usageRow('evaluated', { application, ...frontend(1) })]));
    await Promise.all(racing);
    const rows = await stored('evaluated');
    expect(namesOf(rows)).toHaveLength(3 + 1);
    expect(totalOf(rows)).toBe(3 * 20);
  });
});

it('rows of flags that are not in the environment, and rows that exist, are no entries', async () => {
  const rows = [usageRow('evaluated', frontend(1)), usageRow('no-flag', frontend(1))];
  await report(rows);
  await report(rows);
  const counted = rig.db.kysely.selectFrom('usage_entries').select('entries').where('token_id', '=', 1);
  expect(await counted.execute()).toEqual([{ entries: 1 }]);
});

it('entries count anew the next day, and old counts are deleted', async () => {
  await made(1, share, 1);
  await report([usageRow('evaluated', { application: 'today', ...frontend(1) })]);
  expect(namesOf(await stored('evaluated'))).toEqual(['today']);
  await deleteOldUsage(rig.db, usageLeader, 30);
  const left = rig.db.kysely.selectFrom('usage_entries').select(['token_id', 'entries']).where('token_id', '>', 0);
  expect(await left.execute()).toEqual([{ token_id: 1, entries: 1 }]);
});
