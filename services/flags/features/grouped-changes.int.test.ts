// Proves what creations and switches that share transactions get: each its own answer or refusal, limits that hold
// exactly, and no wait for what another transaction has locked. races.int.test.ts has the patches.
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { eventually } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadFlagsConfig } from '../config.ts';
import { startFlags } from '../service.ts';
import { admin, contextOf, type OwnFlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import { countedSizes, storedSizes } from '../testing/sizes.ts';

const projectId = 'default';
const racers = Array.from({ length: 20 }, (_, index) => index);
/** More than each test makes, and all that make flags before the one of this limit. */
const flagsLimit = 200;

let rig: OwnFlagsRig;
let holder: pg.Client;

beforeAll(async () => {
  rig = await startOwnFlagsRig({ UNLEASH_FEATURE_FLAGS_LIMIT: String(flagsLimit) });
  holder = new pg.Client({ connectionString: rig.database.ownerUrl, options: '-c search_path=flags' });
  await holder.connect();
});
afterAll(async () => {
  await holder?.end();
  await rig?.stop();
});

let round = 0;
beforeEach(() => {
  round += 1;
});
const named = (racer: number | string) => `flag-${round}-${racer}`;

const create = (
  name: string,
  more: { projectId?: string; type?: string; description?: string; tags?: contracts.Tag[] } = {},
) => rig.ask(contracts.createFeature, { projectId, name, ...more });
const switchFlag = (featureName: string, more: { environment?: string; enabled?: boolean } = {}) =>
  rig.ask(contracts.switchEnvironment, { projectId, featureName, environment: 'production', enabled: true, ...more });
const newProject = async (settings: { featureLimit?: number } = {}) => {
  const { id } = await rig.ask(contracts.createProject, { name: `Project ${round}`, ...settings });
  return id;
};
const typesOf = async (name: string) => (await rig.events(name)).map(({ type }) => type);
const countLive = async (project?: string) => {
  const rows = rig.db.kysely.selectFrom('features').select('name').where('archived_at', 'is', null);
  return (await (project === undefined ? rows : rows.where('project', '=', project)).execute()).length;
};
const codesOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? 'done' : result.reason.code));
/** How many transactions have written the rows of these flags last. */
const countTransactions = async (names: readonly string[]) => {
  const { rows } = await sql<{ count: number }>`
    select count(distinct xmin::text)::int as count from features where name = any(${names}::text[])`.execute(
    rig.db.kysely,
  );
  return rows[0]!.count;
};
/** Sends a request that a group of its own has, so that the requests behind it share the next one. */
const behind = async <Answer>(first: () => Promise<unknown>, rest: () => Promise<Answer>[]) => {
  const [alone, results] = [first(), Promise.allSettled(rest())];
  await alone;
  return await results;
};

describe('creations that arrive together', () => {
  it('share transactions and revisions, and each gets its own flag with one event', async () => {
    const before = (await rig.ask(contracts.listRevisions, {})).environments;
    const features = await Promise.all(racers.map((racer) => create(named(racer))));
    const after = (await rig.ask(contracts.listRevisions, {})).environments;
    for (const racer of racers) {
      const name = named(racer);
      expect(features[racer]).toMatchObject({ name, version: 1, enabled: false, createdBy: { id: admin.id } });
      expect(await rig.ask(contracts.getFeature, { projectId, featureName: name })).toMatchObject(features[racer]!);
      expect(await typesOf(name)).toEqual(['feature-created']);
    }
    expect(await countTransactions(racers.map(named))).toBeLessThan(racers.length);
    expect(after.production!.default! - before.production!.default!).toBeLessThan(racers.length);
  });

  it('are refused one by one, and cost the others nothing', async () => {
    await create(named('taken'));
    const good = racers.map((racer) => `${named('good')}-${racer}`);
    const [missing, mistyped, taken, untyped, ...others] = await behind(
      () => create(named('first')),
      () => [
        create(named('missing'), { projectId: 'nowhere' }),
        create(named('mistyped'), { type: 'relese' }),
        create(named('taken')),
        create(named('untyped'), { tags: [{ type: 'no-type', value: 'blue' }] }),
        ...good.map((name) => create(name)),
      ],
    );
    expect(missing).toMatchObject({ reason: { code: 'not-found', message: expect.stringContaining('"nowhere"') } });
    expect(mistyped).toMatchObject({ reason: { code: 'bad-data', message: expect.stringContaining('"relese"') } });
    expect(taken).toMatchObject({ reason: { code: 'name-exists', message: expect.stringContaining(named('taken')) } });
    expect(untyped).toMatchObject({ reason: { code: 'bad-data', message: expect.stringContaining('"no-type"') } });
    expect(codesOf(others)).toEqual(good.map(() => 'done'));
    expect(await countTransactions(good)).toBeLessThan(good.length);
    for (const name of ['missing', 'mistyped', 'untyped']) expect(await rig.events(named(name))).toEqual([]);
  });

  it('make a new tag once, and each has its own tags and its size', async () => {
    const shared = { type: 'simple', value: named('"shared" ✓') };
    const tagsOf = (racer: number) => [shared, { type: 'simple', value: named(racer) }];
    const description = 'a "quoted" text\n\u0001 with ✓ and 😀';
    const features = await Promise.all(
      racers.map((racer) => create(named(racer), { description, tags: tagsOf(racer) })),
    );
    expect(await storedSizes(rig)).toEqual(await countedSizes(rig));
    const inOrder = (tags: contracts.Tag[]) => tags.map(({ value }) => value).sort();
    for (const racer of racers) expect(inOrder(features[racer]!.tags)).toEqual(inOrder(tagsOf(racer)));
    const made = (await rig.events()).filter(({ type }) => type === 'tag-created').map(({ data }) => data?.value);
    expect(made.sort()).toEqual([shared.value, ...racers.map(named)].sort());
  });

  it('exceed the limit of a project never, and as many succeed as may', async () => {
    const project = await newProject({ featureLimit: 7 });
    const results = await Promise.allSettled(racers.map((racer) => create(named(racer), { projectId: project })));
    const codes = codesOf(results);
    expect(codes.filter((code) => code === 'done')).toHaveLength(7);
    expect(codes.filter((code) => code === 'limit-exceeded')).toHaveLength(13);
    expect(await countLive(project)).toBe(7);
  });

  it('exceed the limit of the installation never, also in two replicas beside patches', async () => {
    const first = named('first');
    await create(first);
    const fillers = Array.from({ length: flagsLimit - 10 - (await countLive()) }, (_, index) => `filler-${index}`);
    await Promise.all(fillers.map((filler) => create(named(filler))));
    const operations = [{ op: 'replace' as const, path: '/description', value: 'beside' }];
    const patch = rig.ask(contracts.patchFeature, { projectId, featureName: first, operations });
    const replica = await startFlags(loadFlagsConfig(rig.environment), rig.log);
    const results = await Promise.allSettled(racers.map((racer) => create(named(racer))));
    await replica.drain();
    await replica.stop();
    expect(codesOf(results).filter((code) => code === 'done')).toHaveLength(10);
    expect(codesOf(results).filter((code) => code === 'limit-exceeded')).toHaveLength(10);
    expect(await countLive()).toBe(flagsLimit);
    expect(await patch).toMatchObject({ description: 'beside' });
    await rig.db.kysely.updateTable('features').set({ archived_at: new Date() }).execute();
  });

  it('do not wait for one whose name another transaction inserts, or whose project it has locked', async () => {
    const project = await newProject();
    await holder.query('begin');
    await holder.query(
      `insert into features (name, project, type, impression_data, created_by_user_id)
      values ($1, $2, 'release', false, 1), ($3, $2, 'release', false, 1)`,
      [named('kept'), projectId, named('dropped')],
    );
    await holder.query('select from projects where id = $1 for no key update', [project]);
    const waiting = Promise.allSettled([create(named('kept')), create(named('in-locked'), { projectId: project })]);
    expect(codesOf(await Promise.allSettled(racers.map((racer) => create(named(racer)))))).toEqual(
      racers.map(() => 'done'),
    );
    const late = rig.bus.request(
      contracts.createFeature,
      { projectId, name: named('dropped') },
      { ...contextOf(admin), deadline: Date.now() + 500 },
    );
    await expect(late).rejects.toMatchObject({ code: 'timeout' });
    await holder.query('commit');
    expect(codesOf(await waiting)).toEqual(['name-exists', 'done']);
    await expect(create(named('dropped'))).rejects.toMatchObject({ code: 'name-exists' });
    expect(await rig.events(named('dropped'))).toEqual([]);
  });
});

describe('switches that arrive together', () => {
  it('share transactions, add the default strategy where none is, and are refused one by one', async () => {
    const names = racers.map(named);
    await Promise.all([...names, named('first'), named('archived'), named('elsewhere')].map((name) => create(name)));
    await rig.ask(contracts.archiveFeature, { projectId, featureName: named('archived') });
    const own = { projectId, featureName: names[0]!, environment: 'production' };
    await rig.ask(contracts.addStrategy, { ...own, strategy: { name: 'default' } });
    const [archived, missing, elsewhere, ...others] = await behind(
      () => switchFlag(named('first')),
      () => [
        switchFlag(named('archived')),
        switchFlag(named('missing')),
        switchFlag(named('elsewhere'), { environment: 'staging' }),
        ...names.map((name) => switchFlag(name)),
      ],
    );
    expect(archived).toMatchObject({ reason: { code: 'archived-feature' } });
    expect(missing).toMatchObject({ reason: { code: 'not-found' } });
    expect(elsewhere).toMatchObject({ reason: { code: 'not-found', message: expect.stringContaining('"staging"') } });
    for (const [index, name] of names.entries()) {
      expect(others[index]).toMatchObject({ status: 'fulfilled', value: { name, enabled: true } });
      const [strategy, ...more] = (await rig.ask(contracts.listStrategies, { ...own, featureName: name })).strategies;
      expect([strategy?.name, more]).toEqual([index === 0 ? 'default' : 'flexibleRollout', []]);
      expect(await typesOf(name)).toEqual([
        ...['feature-created', 'feature-strategy-add', 'feature-environment-enabled'],
      ]);
    }
    expect(await countTransactions(names)).toBeLessThan(names.length);
    const answers = await Promise.all(names.map((name, index) => switchFlag(name, { enabled: index % 2 === 0 })));
    expect(answers.map(({ enabled }) => enabled)).toEqual(names.map((_, index) => index % 2 === 0));
  });

  it('of flags of several projects get the default strategy of their own one', async () => {
    const project = await newProject();
    await rig.ask(contracts.setDefaultStrategy, {
      ...{ projectId: project, environment: 'production' },
      strategy: { name: 'flexibleRollout', title: 'ours', parameters: { rollout: '10', stickiness: 'default' } },
    });
    await Promise.all(racers.map((racer) => create(named(racer), { projectId: racer % 2 ? project : projectId })));
    await Promise.all(
      racers.map((racer) =>
        rig.ask(contracts.switchEnvironment, {
          ...{ projectId: racer % 2 ? project : projectId, featureName: named(racer) },
          ...{ environment: 'production', enabled: true },
        }),
      ),
    );
    const { rows } = await sql<{ project: string; titles: (string | null)[] }>`
      select project, json_agg(title) as titles
      from feature_strategies s join features f on f.name = s.feature_name
      where feature_name = any(${racers.map(named)}::text[]) group by project`.execute(rig.db.kysely);
    const titles = Object.fromEntries(rows.map((row) => [row.project, row.titles]));
    expect(titles).toEqual({ [projectId]: Array(10).fill(null), [project]: Array(10).fill('ours') });
  });

  it('are done although one of them, whose flag has too many strategies for another one, is refused', async () => {
    const names = racers.map(named);
    await Promise.all([...names, named('first'), named('full')].map((name) => create(name)));
    const place = { projectId, featureName: named('full'), environment: 'production' };
    // As many as a flag may have in an environment.
    for (let count = 0; count < 30; count += 1) {
      await rig.ask(contracts.addStrategy, { ...place, strategy: { name: 'default', disabled: true } });
    }
    const [full, ...others] = await behind(
      () => switchFlag(named('first')),
      () => [named('full'), ...names].map((name) => switchFlag(name)),
    );
    expect(full).toMatchObject({ reason: { code: 'limit-exceeded' } });
    expect(codesOf(others)).toEqual(names.map(() => 'done'));
    expect(await rig.ask(contracts.getFeature, { projectId, featureName: named('full') })).toMatchObject({
      ...{ enabled: false, version: 31 },
    });
  });

  it('do not wait for a flag that another transaction has locked', async () => {
    await Promise.all([named('locked'), ...racers.map(named)].map((name) => create(name)));
    await holder.query('begin');
    await holder.query('select from features where name = $1 for update', [named('locked')]);
    const waiting = switchFlag(named('locked'));
    await Promise.all(racers.map((racer) => switchFlag(named(racer))));
    await holder.query('commit');
    expect(await waiting).toMatchObject({ name: named('locked'), enabled: true });
  });
});

it('a group whose connection is killed has done nothing, and the next group runs', async () => {
  await holder.query('begin');
  await holder.query('select from revisions for update');
  const names = racers.map(named);
  const results = Promise.allSettled(names.map((name) => create(name)));
  const waiters = async () => {
    const { rows } = await holder.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database()
        and pg_backend_pid() = any(pg_blocking_pids(pid))`,
    );
    return rows.map(({ pid }) => pid);
  };
  await eventually(async () => expect(await waiters()).toHaveLength(1));
  const [killed] = await waiters();
  await rig.database.rows('select pg_terminate_backend($1)', [killed]);
  await eventually(async () => expect(await waiters()).not.toContain(killed));
  await holder.query('commit');
  const codes = codesOf(await results);
  expect(['unavailable', 'timeout']).toContain(codes[0]);
  for (const [index, name] of names.entries()) {
    expect(await rig.events(name)).toHaveLength(codes[index] === 'done' ? 1 : 0);
  }
  expect(codes.filter((code) => code === 'done').length).toBeGreaterThan(0);
});
