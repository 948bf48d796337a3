// Proves that an import of 5,000 flags takes effect whole or not at all, and that other requests succeed meanwhile,
// also those that wait for its rows.
import * as contracts from '@yardarm/shared/contracts/flags';
import { eventually } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admin, contextOf, type OwnFlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import { exportDocument, type ImportedData, uploadDocument } from '../testing/imports.ts';

const projectId = 'default';
const environment = 'development';
const names = Array.from({ length: 5_000 }, (_, index) => `many.${index}`);

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
  })),
  featureEnvironments: names.map((featureName) => ({ featureName, enabled: true })),
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

describe('an import of 5,000 flags', () => {
  it.each(['made', 'changed'])(
    'with all that belongs to them takes effect whole: they are %s',
    async (description) => {
      const failures = await failuresDuring(await importMany(description), [
        (round) => rig.ask(contracts.createFeature, { projectId, name: `other.${description}.${round}` }),
        switchFlag('other', environment),
      ]);
      expect(failures).toEqual([]);
      expect(await count(`description = '${description}'`)).toBe(5_000);
      const found = await exportDocument(rig, { tag: `simple:${description}` });
      expect(found.features).toHaveLength(5_000);
      expect(found.featureStrategies).toHaveLength(5_000);
    },
    120_000,
  );

  it('fails no request that waits for its rows', async () => {
    const data = (description: string): ImportedData => ({
      // So few that the wait stays below the lock timeout on a busy machine too.
      features: names.slice(0, 1_000).map((name) => ({ name: `plain.${name}`, description })),
      featureTags: [{ featureName: 'plain.many.0', tagType: 'simple', tagValue: description }],
    });
    await rig.ask(contracts.importFeatures, await uploadDocument(rig, data('made')));
    const sent = await uploadDocument(rig, data('changed'));
    const failures = await failuresDuring(
      () => rig.ask(contracts.importFeatures, sent),
      [
        switchFlag('plain.many.0', 'production'),
        switchFlag('plain.many.999', environment),
        () => rig.ask(contracts.addFeatureTag, { featureName: 'other', type: 'simple', value: 'changed' }),
        (round) => rig.ask(contracts.updateProject, { projectId, name: `Default ${round}` }),
        (round) =>
          rig.ask(contracts.setDefaultStrategy, {
            ...{ projectId, environment },
            strategy: { name: 'flexibleRollout', title: `${round}`, segments: [segmentId] },
          }),
      ],
    );
    expect(failures).toEqual([]);
  }, 120_000);

  it('that loses its connection takes no effect', async () => {
    const start = await importMany('lost');
    const [events, revisions] = [(await rig.events()).length, await rig.ask(contracts.listRevisions, {})];
    // The import waits until the other transaction has decided whether the tag exists.
    const holder = new pg.Client({ connectionString: rig.database.ownerUrl });
    await holder.connect();
    await holder.query(`begin; insert into flags.tags (type, value) values ('simple', 'lost')`);
    const importing = Promise.allSettled([start()]);
    await eventually(async () => {
      const ended = await rig.database.rows(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = 'yardarm_flags' and wait_event_type = 'Lock'`);
      expect(ended).toHaveLength(1);
    });
    await holder.end();
    const [result] = await importing;
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    expect(await count(`description = 'lost'`)).toBe(0);
    expect(await count(`description = 'changed'`)).toBe(5_000);
    expect(await rig.events()).toHaveLength(events);
    expect(await rig.ask(contracts.listRevisions, {})).toEqual(revisions);
  }, 60_000);

  it('of which one is wrong takes no effect', async () => {
    const data = many('wrong');
    data.featureStrategies![4_999]!.parameters = { rollout: '101' };
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
    for (const result of results) if (result.status === 'rejected') expect(result.reason.code).toBe('bad-data');
    const rows = await rig.database.rows<{ count: number }>(`
      select count(*)::integer as count from flags.features where name like 'both.%.${round}' group by description`);
    expect(rows).toEqual([{ count: 200 }]);
  }
});
