// Proves that an import of many flags takes effect whole or not at all, and that other requests succeed meanwhile,
// also those that wait for its rows.
import * as contracts from '@yardarm/shared/contracts/flags';
import { casesOfRun, eventually, isLongRun, longTest } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, contextOf, type OwnFlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import { exportDocument, type ImportedData, uploadDocument } from '../testing/imports.ts';

const projectId = 'default';
const environment = 'development';
/** In a long run as many as an import may have. */
const total = isLongRun ? 5_000 : 400;
const names = Array.from({ length: total }, (_, index) => `many.${index}`);
/** Beside other tests. */
const importMs = 60_000;

let rig: OwnFlagsRig;
let segmentId: number;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  await rig.ask(contracts.createFeature, { projectId, name: 'other' });
  const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: ['1'] }];
  segmentId = (await rig.ask(contracts.createSegment, { name: 'beta', constraints })).id;
});
afterAll(() => rig?.stop());

const many = (description: string): ImportedData => ({
  features: names.map((name) => ({ name, description })),
  featureStrategies: names.map((featureName) => ({
    ...{ featureName, name: 'flexibleRollout', title: description, segments: [1] },
    constraints: [{ contextName: 'tier', operator: 'IN', values: ['gold'] }],
    variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
  })),
  featureEnvironments: names.map((featureName) => ({
    ...{ featureName, enabled: true },
    variants: [{ name: 'red', weight: 1000, stickiness: 'default', payload: { type: 'string', value: description } }],
  })),
  contextFields: [{ name: 'tier' }],
  featureTags: names.map((featureName) => ({ featureName, tagType: 'simple', tagValue: description })),
  segments: [{ id: 1, name: 'beta' }],
  links: names.map((feature) => ({ feature, links: [{ url: `https://example.com/${description}` }] })),
});
const importMany = async (description: string) => {
  const sent = await uploadDocument(rig, many(description));
  // A busy machine needs longer than the deadline of `ask`.
  return () => rig.bus.request(contracts.importFeatures, sent, { ...contextOf(admin), deadline: Date.now() + 60_000 });
};
const count = async (condition: string) => {
  const [row] = await rig.database.rows<{ count: number }>(`
    select count(*)::integer as count from flags.features f
    where name like 'many.%' and ${condition} and exists (
      select from flags.feature_strategies s join flags.strategy_segments on strategy_id = s.id
      where s.feature_name = f.name and s.title = f.description
    ) and exists (select from flags.feature_tags t where t.feature_name = f.name and t.value = f.description)`);
  return row!.count;
};

/** Imports while each of the other requests is sent again and again, and returns what failed. */
async function failuresDuring(
  start: () => Promise<unknown>,
  others: readonly ((round: number) => Promise<unknown>)[],
): Promise<unknown[]> {
  let isOver = false;
  const importing = start().finally(() => {
    isOver = true;
  });
  const failures: unknown[] = [];
  const sending = others.map(async (send) => {
    for (let round = 0; !isOver; round += 1) await send(round).catch((error: unknown) => failures.push(error));
  });
  await Promise.all([importing, ...sending]);
  return failures;
}

const switchFlag = (featureName: string, place: string) => (round: number) =>
  rig.ask(contracts.switchEnvironment, { projectId, featureName, environment: place, enabled: round % 2 === 0 });

describe(`an import of ${total} flags`, () => {
  it.each(casesOfRun(1, ['made', 'changed']))(
    'with all that belongs to them takes effect whole: they are %s',
    async (description) => {
      const failures = await failuresDuring(await importMany(description), [
        (round) => rig.ask(contracts.createFeature, { projectId, name: `other.${description}.${round}` }),
        switchFlag('other', environment),
      ]);
      expect(failures).toEqual([]);
      expect(await count(`description = '${description}'`)).toBe(total);
      const found = await exportDocument(rig, { tag: `simple:${description}` });
      expect(found.features).toHaveLength(total);
      expect(found.featureStrategies).toHaveLength(total);
    },
    120_000,
  );

  longTest(
    'fails no request that waits for its rows',
    async () => {
      const [patched, changed] = ['many.0', 'many.1'];
      const place = { projectId, featureName: changed, environment: 'production' };
      const { id: strategyId } = await rig.ask(contracts.addStrategy, { ...place, strategy: { name: 'default' } });
      const failures = await failuresDuring(await importMany('raced'), [
        (round) =>
          rig.ask(contracts.patchFeature, {
            ...{ projectId, featureName: patched },
            operations: [{ op: 'replace', path: '/impressionData', value: round % 2 === 0 }],
          }),
        (round) => rig.ask(contracts.updateStrategy, { ...place, strategyId, strategy: { title: `${round}` } }),
        (round) =>
          rig.ask(contracts.switchFeatures, {
            ...{ projectId, environment: 'production', features: names.slice(2, 102), enabled: round % 2 === 0 },
          }),
        () => rig.ask(contracts.addFeatureTag, { featureName: 'other', type: 'simple', value: 'changed' }),
        (round) => rig.ask(contracts.updateProject, { projectId, name: `Default ${round}` }),
        (round) =>
          rig.ask(contracts.setDefaultStrategy, {
            ...{ projectId, environment },
            strategy: { name: 'flexibleRollout', title: `${round}`, segments: [segmentId] },
          }),
      ]);
      expect(failures).toEqual([]);
      expect(await count(`description = 'raced'`)).toBe(total);
    },
    120_000,
  );

  it('answers twenty changes of its project that are sent at once, also deletions of other flags', async () => {
    const twenty = Array.from({ length: 20 }, (_, index) => index);
    const strategies = new Map<string, string>();
    for (const index of twenty) {
      const place = { projectId, featureName: names[index]!, environment: 'production' };
      strategies.set(
        names[index]!,
        (await rig.ask(contracts.addStrategy, { ...place, strategy: { name: 'default' } })).id,
      );
    }
    const requests: ((index: number, round: number) => Promise<unknown>)[] = [
      (index, round) =>
        rig.ask(contracts.patchFeature, {
          ...{ projectId, featureName: names[index]! },
          operations: [{ op: 'replace', path: '/impressionData', value: round % 2 === 0 }],
        }),
      (index, round) => switchFlag(names[index]!, 'production')(round),
      (index, round) =>
        rig.ask(contracts.updateStrategy, {
          ...{ projectId, featureName: names[index]!, environment: 'production' },
          ...{ strategyId: strategies.get(names[index]!)!, strategy: { title: `${round}` } },
        }),
      async (index, round) => {
        const name = `deleted.${index}.${round}`;
        await rig.ask(contracts.createFeature, { projectId, name });
        await rig.ask(contracts.archiveFeature, { projectId, featureName: name });
        await rig.ask(contracts.deleteFeature, { featureName: name });
      },
    ];
    const failures = await failuresDuring(
      await importMany('answered'),
      twenty.map((index) => (round) => requests[index % requests.length]!(index, round)),
    );
    expect(failures).toEqual([]);
    expect(await count(`description = 'answered'`)).toBe(total);
  }, 120_000);

  it('that loses its connection takes no effect', async () => {
    const start = await importMany('lost');
    const [events, revisions] = [(await rig.events()).length, await rig.ask(contracts.listRevisions, {})];
    // The import waits until the other transaction has decided whether the tag exists.
    const holder = new pg.Client({ connectionString: rig.database.ownerUrl });
    await holder.connect();
    await holder.query(`begin; insert into flags.tags (type, value) values ('simple', 'lost')`);
    const { rows: held } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    const importing = Promise.allSettled([start()]);
    let ended = 0;
    try {
      await eventually(async () => {
        // Only what waits for the holder: jobs of the service may wait for the rows of the import.
        const waiting = await rig.database.rows(`
          select pg_terminate_backend(pid) from pg_stat_activity where ${held[0]!.pid} = any(pg_blocking_pids(pid))`);
        ended += waiting.length;
        expect(ended).toBe(1);
      }, importMs);
    } finally {
      await holder.end();
    }
    const [result] = await importing;
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    expect(await count(`description = 'lost'`)).toBe(0);
    expect(await count(`description = 'answered'`)).toBe(total);
    expect(await rig.events()).toHaveLength(events);
    expect(await rig.ask(contracts.listRevisions, {})).toEqual(revisions);
  }, 120_000);

  it('of which one is wrong takes no effect', async () => {
    const data = many('wrong');
    data.featureStrategies![total - 1]!.parameters = { rollout: '101' };
    const [events, sent] = [(await rig.events()).length, await uploadDocument(rig, data)];
    await expect(rig.ask(contracts.importFeatures, sent)).rejects.toMatchObject({ code: 'bad-data' });
    expect(await count(`description = 'wrong'`)).toBe(0);
    expect(await rig.events()).toHaveLength(events);
  }, 60_000);
});

it('of two imports that make the same flags each takes effect whole or not at all', async () => {
  const names = Array.from({ length: 200 }, (_, index) => `both.${index}`);
  for (const round of [1, 2, 3]) {
    const data = (flags: readonly string[], description: string): ImportedData => ({
      features: flags.map((name) => ({ name: `${name}.${round}`, description })),
    });
    const sent = [
      await uploadDocument(rig, data(names, 'one')),
      await uploadDocument(rig, data(names.toReversed(), 'other')),
    ];
    const results = await Promise.allSettled(sent.map((each) => rig.ask(contracts.importFeatures, each)));
    for (const result of results) if (result.status === 'rejected') expect(result.reason.code).toBe('name-exists');
    const rows = await rig.database.rows<{ count: number }>(`
      select count(*)::integer as count from flags.features where name like 'both.%.${round}' group by description`);
    expect(rows).toEqual([{ count: 200 }]);
  }
});

it('of two imports that make the same flag and wait for the same project the second one fails', async () => {
  const sent = (description: string) => uploadDocument(rig, { features: [{ name: 'waited', description }] });
  const documents = [await sent('one'), await sent('other')];
  const holder = new pg.Client({ connectionString: rig.database.ownerUrl });
  await holder.connect();
  await holder.query(`begin; select from flags.projects where id = '${projectId}' for update`);
  const importing = Promise.allSettled(documents.map((document) => rig.ask(contracts.importFeatures, document)));
  // Both are prepared and wait, one for the holder and one behind it. An import that began later would be an update.
  await eventually(async () => {
    const waiting = await rig.database.rows(`
      select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`);
    expect(waiting.length).toBeGreaterThanOrEqual(2);
  }, importMs).finally(() => holder.end());
  const results = await importing;
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  expect(failures).toEqual(['name-exists']);
});

it('of a flag that another transaction made after the import had read the names fails, and changes nothing', async () => {
  await rig.ask(contracts.createFeature, { projectId, name: 'made' });
  const sent = await uploadDocument(rig, { features: [{ name: 'met', description: 'imported' }] });
  const holder = new pg.Client({ connectionString: rig.database.ownerUrl });
  await holder.connect();
  await holder.query('begin; lock table flags.outbox in share mode');
  const importing = Promise.allSettled([rig.ask(contracts.importFeatures, sent)]);
  // It is prepared and inserts its events. It has locked no project and no flag.
  await eventually(async () => {
    const waiting = await rig.database.rows(`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like '%insert into outbox%'`);
    expect(waiting).toHaveLength(1);
  }, importMs);
  // The flag exists when the import locks it, so that no insert of the import violates the unique name.
  await holder.query(`update flags.features set name = 'met' where name = 'made'; commit`);
  await holder.end();
  expect(await importing).toMatchObject([{ status: 'rejected', reason: { code: 'name-exists' } }]);
  const rows = await rig.database.rows(`select description from flags.features where name = 'met'`);
  expect(rows).toEqual([{ description: null }]);
});
