// Proves that reads of all flags leave connections to other requests.
import * as contracts from '@yardarm/shared/contracts/flags';
import { eventually } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admin, contextOf, type OwnFlagsRig, startOwnFlagsRig } from './testing/flags-rig.ts';

const projectId = 'default';

let rig: OwnFlagsRig;
let holder: pg.Client;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  holder = new pg.Client({ connectionString: rig.database.ownerUrl });
  await holder.connect();
  await rig.ask(contracts.createFeature, { projectId, name: 'large' });
});
afterAll(async () => {
  await holder?.end();
  await rig?.stop();
});

const waiting = async (): Promise<number> => {
  const [row] = await rig.database.rows<{ count: number }>(`
    select count(distinct pid)::int as count from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`);
  return row!.count;
};

/** A caller of its own for each number. */
const callerOf = (n: number) => ({ ...contextOf({ ...admin, id: 100 + n }), deadline: Date.now() + 10_000 });

const listAll = (n: number) => rig.bus.request(contracts.listFeatures, { projectId }, callerOf(n));
const exportAll = (n: number) =>
  rig.bus.request(contracts.exportFeatures, { environment: 'development', project: projectId }, callerOf(n));

const reads: [kind: string, read: (n: number) => Promise<{ features: { name: string }[] }>][] = [
  ['lists', listAll],
  ['exports', exportAll],
];

test.each(reads)(
  'of twenty %s of as many callers, three occupy connections; others are answered meanwhile, and then all are',
  async (kind, read) => {
    // Both read this table, and no job of the service does.
    await holder.query('begin; lock table flags.feature_links in access exclusive mode');
    const answers = Array.from({ length: 20 }, (_, n) => read(n));
    await eventually(async () => expect(await waiting()).toBe(3));
    await rig.ask(contracts.createSegment, { name: `beside-${kind}`, constraints: [] });
    expect(await waiting()).toBe(3);
    await holder.query('commit');
    for (const { features } of await Promise.all(answers)) {
      expect(features.map(({ name }) => name)).toEqual(['large']);
    }
  },
);

test('of twenty lists of one caller, one occupies a connection', async () => {
  await holder.query('begin; lock table flags.feature_links in access exclusive mode');
  const answers = Array.from({ length: 20 }, () => listAll(0));
  await eventually(async () => expect(await waiting()).toBe(1));
  await rig.ask(contracts.createSegment, { name: 'beside one', constraints: [] });
  expect(await waiting()).toBe(1);
  await holder.query('commit');
  await Promise.all(answers);
});

test('an export whose turn does not come in time is refused and not made', async () => {
  await holder.query('begin; lock table flags.feature_links in access exclusive mode');
  const countExports = async () => (await rig.events()).filter(({ type }) => type === 'features-exported').length;
  const before = await countExports();
  const occupying = Array.from({ length: 3 }, (_, n) => exportAll(n));
  await eventually(async () => expect(await waiting()).toBe(3));
  const refused = Array.from({ length: 8 }, () => {
    const context = { ...contextOf(admin), deadline: Date.now() + 200 };
    const input = { environment: 'development', project: projectId };
    return rig.bus.request(contracts.exportFeatures, input, context);
  });
  for (const ended of await Promise.allSettled(refused)) {
    expect(ended).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  }
  const last = exportAll(3);
  await holder.query('commit');
  await Promise.all([...occupying, last]);
  // The last one had its turn after at least six of the eight.
  expect((await countExports()) - before).toBe(4);
});

test('lists and searches in texts have four connections together', async () => {
  // Both read this table.
  await holder.query('begin; lock table flags.feature_dependencies in access exclusive mode');
  const search = (n: number) =>
    rig.bus.request(contracts.searchFeatures, { texts: ['large'], sortBy: 'name' }, callerOf(n));
  const answers = [1, 2, 3].map((n) => listAll(n));
  await eventually(async () => expect(await waiting()).toBe(3));
  const searches = Promise.allSettled([4, 5].map((n) => search(n)));
  await eventually(async () => expect(await waiting()).toBeGreaterThan(3));
  // As a gateway asks, which waits for no turn. The other search would wait for the table when it is answered.
  for (let n = 0; n < 3; n += 1) await rig.bus.request(contracts.listRevisions, {}, contextOf(null));
  expect(await waiting()).toBe(4);
  await holder.query('commit');
  await Promise.all([...answers, searches]);
});
