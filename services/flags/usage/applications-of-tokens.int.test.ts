// Each token has a share of the applications that reports make, and of their events.
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql, type Transaction } from '@yardarm/shared/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FlagsTables } from '../db/schema.ts';
import { omittedApplicationEvents, replacedApplications } from '../metrics.ts';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import { usageInstance, usageLeader, usageReports, usageRow } from '../testing/usage-reports.ts';
import { withinEventsOfTokens } from './application-events.ts';
import { insertApplications } from './new-applications.repo.ts';
import { deleteOldUsage } from './retention.repo.ts';
import { usageBounds } from './usage.ts';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  await rig.ask(contracts.createFeature, { projectId: 'default', name: 'evaluated' });
});
beforeEach(async () => {
  await sql`delete from applications`.execute(rig.db.kysely);
  await sql`delete from application_events`.execute(rig.db.kysely);
});
afterAll(() => rig?.stop());

const { report } = usageReports(() => rig);
const client = (tokenId: number) => ({ tokenId });
const frontend = (tokenId: number) => ({ tokenId, isFrontend: true });
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
const rows = (applications: readonly string[], by: object) =>
  applications.map((application) => usageRow('evaluated', { application, ...by }));

async function reportAll(applications: readonly string[], by: object): Promise<number> {
  let excess = 0;
  for (let at = 0; at < applications.length; at += 1_000)
    excess += (await report(rows(applications.slice(at, at + 1_000), by))).excessApplications;
  return excess;
}

async function stored(prefix: string): Promise<string[]> {
  const found = rig.db.kysely.selectFrom('applications').select('name').where('name', 'like', `${prefix}%`);
  return (await found.execute()).map(({ name }) => name).toSorted();
}

/** Makes applications look as if they had not reported for some hours, the first one for the longest time. */
async function age(applications: readonly string[], hours: number): Promise<void> {
  for (const [index, name] of applications.entries())
    await sql`update applications set seen_at = now() - make_interval(hours => ${hours}, secs => ${-index})
      where name = ${name}`.execute(rig.db.kysely);
}

async function eventsSince(before: number): Promise<string[]> {
  const events = (await rig.events()).slice(before);
  return events.map(({ type, data }) => `${type} ${(data as { appName: string }).appName}`);
}

const { frontendApplicationsOfToken: share, eventsOfToken } = usageBounds;

describe('a frontend token that makes up names of applications', () => {
  it('takes up its share, makes no events, and leaves others their names and events', async () => {
    const before = (await rig.events()).length;
    expect(await reportAll(names('invented', 5_000), frontend(1))).toBe(5_000 - share);
    await report([], [usageInstance({ application: 'invented-0', ...frontend(1) })]);
    expect(await stored('invented')).toHaveLength(share);
    expect(await eventsSince(before)).toEqual([]);
    expect(await reportAll(['shop'], client(2))).toBe(0);
    expect(await reportAll(['web'], frontend(3))).toBe(0);
    expect([await stored('shop'), await stored('web')]).toEqual([['shop'], ['web']]);
    expect(await eventsSince(before)).toEqual(['application-created shop']);
  });

  it('cannot exceed its share by reports at once', async () => {
    await reportAll(names('invented', share - 3), frontend(1));
    const racing = await Promise.all(names('racing', 20).map((name) => report(rows([name], frontend(1)))));
    expect(racing.reduce((sum, { excessApplications }) => sum + excessApplications, 0)).toBe(17);
    expect(await stored('racing')).toHaveLength(3);
  });

  it('does not replace an application that reports, whichever it makes up', async () => {
    await reportAll(['real'], frontend(1));
    await reportAll(names('invented', share), frontend(1));
    await age(['real'], 5);
    await reportAll(['real'], frontend(1));
    await reportAll(names('later', share), frontend(1));
    expect(await stored('real')).toEqual(['real']);
  });
});

describe('a token at its share', () => {
  it('replaces the application that was seen the longest ago, without a description', async () => {
    const all = names('old', share);
    await reportAll(all, frontend(1));
    await reportAll(['of-another'], frontend(2));
    await age([...all.slice(0, 3), 'of-another'], 5);
    await rig.ask(contracts.describeApplication, { appName: 'old-0', description: 'Kept' });
    expect(await reportAll(names('new', 2), frontend(1))).toBe(0);
    expect(await stored('new')).toEqual(['new-0', 'new-1']);
    const left = await stored('old');
    expect(all.filter((name) => !left.includes(name))).toEqual(['old-1', 'old-2']);
    expect(await stored('of-another')).toEqual(['of-another']);
    // The others were seen within the hour.
    expect(await reportAll(['one-more'], frontend(1))).toBe(1);
  });

  it('of clients has more, and replaces as well', async () => {
    const all = names('old', usageBounds.applicationsOfToken);
    await reportAll(all, client(1));
    expect(await reportAll(['new'], client(1))).toBe(1);
    await age(['old-7'], 2);
    expect(await reportAll(['new'], client(1))).toBe(0);
    expect((await stored('old')).includes('old-7')).toBe(false);
  });
});

it('a full environment replaces the one of any token that was seen the longest ago', async () => {
  // As made before tokens were stored.
  const all = names('old', usageBounds.applications);
  await reportAll(all, {});
  expect(await reportAll(['new'], client(1))).toBe(1);
  await age(['old-7', 'old-3'], 2);
  expect(await reportAll(['new'], client(1))).toBe(0);
  const left = await stored('old');
  expect(all.filter((name) => !left.includes(name))).toEqual(['old-7']);
});

describe('the events of a token in a day', () => {
  const created = async (before: number, prefix: string) =>
    (await eventsSince(before)).filter((event) => event.startsWith(`application-created ${prefix}`));

  it('are bounded, also by reports at once, and those of another token are not affected', async () => {
    const before = (await rig.events()).length;
    await reportAll(names('many', eventsOfToken - 5), client(1));
    await Promise.all(names('racing', 20).map((name) => report(rows([name], client(1)))));
    expect(await created(before, 'many')).toHaveLength(eventsOfToken - 5);
    expect(await created(before, 'racing')).toHaveLength(5);
    expect(await stored('racing')).toHaveLength(20);
    await report([], [usageInstance({ application: 'many-1', sdkVersion: 'later:1.0.0', ...client(1) })]);
    await reportAll(['shop'], client(2));
    expect((await eventsSince(before)).slice(eventsOfToken)).toEqual(['application-created shop']);
  });

  it('count anew the next day, and old counts are deleted', async () => {
    const before = (await rig.events()).length;
    await sql`insert into application_events (token_id, day, events)
      values (1, (now() at time zone 'UTC')::date - 1, ${eventsOfToken})`.execute(rig.db.kysely);
    await reportAll(['today'], client(1));
    expect(await created(before, 'today')).toHaveLength(1);
    await deleteOldUsage(rig.db, usageLeader, 30);
    const left = rig.db.kysely.selectFrom('application_events').select(['token_id', 'events']);
    expect(await left.execute()).toEqual([{ token_id: 1, events: 1 }]);
  });
});

describe('the counters of applications', () => {
  it('count what a transaction has committed, and nothing of one that was rolled back', async () => {
    const counted = async () => {
      const values = await Promise.all([replacedApplications.get(), omittedApplicationEvents.get()]);
      return values.map(({ values: [counter] }) => counter!.value);
    };
    const candidate = (name: string) => ({
      ...{ name, registration: null },
      reporters: new Map([['development', { tokenId: 9, isFrontend: false }]]),
    });
    const bounds = { ...usageBounds, applicationsOfToken: 1, eventsOfToken: 1 };
    const by = { tokenId: 9, isFrontend: false };
    const events = [1, 2, 3].map((event) => ({ by, event }));
    await rig.db.transaction((trx) => insertApplications(trx, [candidate('counted-old')], bounds));
    await age(['counted-old'], 5);
    const before = await counted();
    const replace = async (trx: Transaction<FlagsTables>) => {
      const { inserted } = await insertApplications(trx, [candidate('counted-new')], bounds);
      expect([...inserted.keys()]).toEqual(['counted-new']);
      expect(await withinEventsOfTokens(trx, events, bounds)).toEqual([1]);
    };
    const rolledBack = rig.db.transaction(async (trx) => {
      await replace(trx);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await counted()).toEqual(before);
    await rig.db.transaction(replace);
    expect(await counted()).toEqual([before[0]! + 1, before[1]! + 2]);
  });
});
