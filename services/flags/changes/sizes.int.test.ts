// Proves that what SDKs read of a project and of an environment has a limit, which no race, import or operation on many
// flags exceeds, and that an installation above it is served and may shrink.
import * as contracts from '@yardarm/shared/contracts/flags';
import { createDatabase, type Database, sql } from '@yardarm/shared/db';
import { eventually, longTest } from '@yardarm/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limitsOf, loadFlagsConfig } from '../config.ts';
import { limitConnections } from '../connections.ts';
import { up } from '../db/migrations/0013-bytes.ts';
import type { FlagsTables } from '../db/schema.ts';
import { groupChanges } from '../features/grouped-changes.ts';
import { startFlags } from '../service.ts';
import { flagCalls } from '../testing/flag-calls.ts';
import { admin, contextOf, type OwnFlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import { sentDocument } from '../testing/imports.ts';
import { countedSizes, environmentUnits, listingBytes, storedSizes } from '../testing/sizes.ts';
import { unitBytes } from './sizes.ts';

const projectId = 'default';
const environment = 'development';
const limits = { ENVIRONMENT_BYTES_LIMIT: '1000000', PROJECT_BYTES_LIMIT: '600000' };

let rig: OwnFlagsRig;

beforeEach(async () => {
  rig = await startOwnFlagsRig(limits);
});
afterEach(async () => {
  expect(await storedSizes(rig)).toEqual(await countedSizes(rig));
  const { stored, summed } = await environmentUnits(rig);
  expect(stored).toEqual(summed);
  await rig.stop();
});

const { newFlag, add, patch, switchFlag } = flagCalls(() => rig);

const constraint = (bytes: number) => ({
  ...{ contextName: 'userId', operator: 'IN' as const, inverted: false, caseInsensitive: false },
  values: Array.from({ length: bytes / 100 }, (_, n) => String(n).padStart(97, 'x')),
});
/** A strategy with so many bytes of constraints, each with at most 50 kB. */
const large = (bytes: number) => ({
  name: 'default',
  constraints: Array.from({ length: Math.ceil(bytes / 50_000) }, (_, n) =>
    constraint(Math.min(50_000, bytes - n * 50_000)),
  ),
});

/** How many of the calls succeeded. The others were refused by a limit of bytes. */
async function winners(calls: Promise<unknown>[], place: string): Promise<number> {
  const settled = await Promise.allSettled(calls);
  for (const each of settled) if (each.status === 'rejected') expect(each.reason).toMatchObject(exceeded(place));
  return settled.filter(({ status }) => status === 'fulfilled').length;
}
const exceeded = (place: string) => ({
  code: 'limit-exceeded',
  message: expect.stringContaining(`The flags of ${place} may have at most`),
});
const ofProject = 'the project "default" in the environment "development"';

const sizeOf = async (project: string, of = environment) =>
  (await storedSizes(rig)).find((each) => each.project === project && each.environment === of)?.bytes ?? 0;

async function newProject(id: string): Promise<string> {
  await rig.ask(contracts.createProject, { id, name: id });
  return id;
}

async function newSegment(name: string, bytes: number): Promise<number> {
  const { id } = await rig.ask(contracts.createSegment, { name, project: null, constraints: [constraint(bytes)] });
  return id;
}

describe('the limit of a project', () => {
  it('lets as many of 20 racing callers win as fit', async () => {
    const names = await Promise.all(Array.from({ length: 20 }, () => newFlag()));
    const before = await sizeOf(projectId);
    const one = await newFlag();
    await add(one, large(50_000));
    const each = (await sizeOf(projectId)) - before;
    const won = await winners(
      names.map((name) => add(name, large(50_000))),
      ofProject,
    );
    expect(won).toBe(Math.floor((600_000 - before - each) / (each - 300)));
    expect(await sizeOf(projectId)).toBeLessThanOrEqual(600_000);
    expect(await sizeOf(projectId)).toBeGreaterThanOrEqual(await listingBytes(rig, environment));
  });

  longTest('refuses the patches of a group that grow, and no other', async () => {
    const names = await Promise.all(Array.from({ length: 10 }, () => newFlag({ description: 'x'.repeat(100) })));
    await add(names[0]!, large(490_000));
    const second = await newFlag();
    await add(second, large(90_000));
    const growing = names.slice(1, 9).map((name) => patch(name, { description: 'y'.repeat(9_000) }));
    const [won] = await Promise.all([
      winners(growing, ofProject),
      patch(names[9]!, { description: 'z' }),
      patch(second, { stale: true }),
    ]);
    expect(won).toBeLessThan(growing.length);
    expect(await sizeOf(projectId)).toBeGreaterThan(590_000);
  });

  longTest('refuses a patch that grows without its group, whose other patches share a transaction', async () => {
    const names = await Promise.all(Array.from({ length: 10 }, () => newFlag()));
    await add(names[0]!, large(490_000));
    await add(await newFlag(), large(100_000));
    const groups = groupChanges({
      ...{
        bus: rig.bus,
        db: rig.db,
        changes: limitConnections(10).changes,
        limits: limitsOf(loadFlagsConfig(rig.environment)),
      },
    });
    const submit = (featureName: string, path: string, value: unknown) =>
      groups.submit({
        kind: 'patch',
        input: { projectId, featureName, operations: [{ op: 'replace', path, value }] },
        context: { ...contextOf(admin), deadline: Date.now() + 20_000 },
      } as never);
    // The first one is a group alone, and the others wait for it together.
    const [, refused, ...others] = await Promise.allSettled([
      submit(names[0]!, '/stale', true),
      submit(names[1]!, '/description', 'y'.repeat(9_900)),
      ...names.slice(2).map((name) => submit(name, '/stale', true)),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: exceeded(ofProject) });
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
    const { rows } = await sql<{ xmin: string }>`
      select distinct xmin::text from features where name = any(${names.slice(2)}::text[])`.execute(rig.db.kysely);
    expect(rows).toHaveLength(1);
  });

  it('refuses an import, a clone, a revival, a move and a larger segment whole', async () => {
    const segment = await newSegment('growing', 10_000);
    const [full, archived] = [await newFlag(), await newFlag()];
    await add(archived, { ...large(200_000), segments: [segment] });
    await rig.ask(contracts.archiveFeature, { projectId, featureName: archived });
    await add(full, { ...large(440_000), segments: [segment] });
    const before = await storedSizes(rig);

    const strategies = [1, 2, 3, 4].map((n) => ({ ...large(50_000), featureName: `imported-${n}` }));
    const features = strategies.map(({ featureName }) => ({ name: featureName }));
    const calls = [
      () => rig.ask(contracts.importFeatures, sentDocument({ features, featureStrategies: strategies } as never)),
      () => rig.ask(contracts.cloneFeature, { projectId, featureName: full, name: 'copy' }),
      () => rig.ask(contracts.reviveFeatures, { projectId, features: [archived] }),
      () =>
        rig.ask(contracts.updateSegment, {
          id: segment,
          name: 'growing',
          project: null,
          constraints: [constraint(99_000)],
        }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(exceeded(ofProject));
    await newProject('other');
    await rig.ask(contracts.createFeature, { projectId: 'other', name: 'moving' });
    const place = { projectId: 'other', featureName: 'moving', environment };
    await rig.ask(contracts.addStrategy, { ...place, strategy: large(200_000) });
    const move = rig.ask(contracts.changeProject, {
      projectId: 'other',
      featureName: 'moving',
      newProjectId: projectId,
    });
    await expect(move).rejects.toMatchObject(exceeded(ofProject));
    expect((await storedSizes(rig)).filter(({ project }) => project === projectId)).toEqual(before);
    await expect(rig.ask(contracts.getFeature, { projectId, featureName: 'imported-1' })).rejects.toThrow();
  });

  longTest('counts a segment with each use, and what leaves the project no more', async () => {
    const empty = await sizeOf(projectId);
    const segment = await newSegment('used', 20_000);
    const name = await newFlag();
    const flag = (await sizeOf(projectId)) - empty;
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push((await add(name, { name: 'default', segments: [segment] })).id);
    expect(await sizeOf(projectId)).toBeGreaterThan(empty + 60_000);
    expect(await sizeOf(projectId)).toBeGreaterThanOrEqual(await listingBytes(rig, environment));
    await rig.ask(contracts.updateSegment, {
      id: segment,
      name: 'used',
      project: null,
      constraints: [constraint(10_000)],
    });
    expect(await sizeOf(projectId)).toBeLessThan(empty + 40_000);
    await rig.ask(contracts.deleteStrategy, { projectId, featureName: name, environment, strategyId: ids[0]! });
    await newProject('target');
    await rig.ask(contracts.changeProject, { projectId, featureName: name, newProjectId: 'target' });
    expect(await sizeOf(projectId)).toBe(empty);
    expect(await sizeOf('target')).toBeGreaterThan(flag + 20_000);
    await rig.ask(contracts.archiveFeature, { projectId: 'target', featureName: name });
    await rig.ask(contracts.deleteFeature, { featureName: name });
    expect(await sizeOf('target')).toBe(0);
  });
});

describe('the limit of an environment', () => {
  it('lets as many of 20 racing projects win as fit, each with its units', async () => {
    const projects = await Promise.all(Array.from({ length: 20 }, (_, n) => newProject(`project-${n}`)));
    for (const id of projects) await rig.ask(contracts.createFeature, { projectId: id, name: `flag-${id}` });
    const calls = projects.map((id) =>
      rig.ask(contracts.addStrategy, {
        ...{ projectId: id, featureName: `flag-${id}`, environment },
        strategy: large(98_000),
      }),
    );
    const won = await winners(calls, 'the environment "development"');
    const [most, each] = [Math.floor(1_000_000 / unitBytes), Math.ceil(98_500 / unitBytes)];
    // A flag without strategies has a unit.
    expect(won).toBe(Math.floor((most - 20) / (each - 1)));
  });

  longTest(
    'counts a cloned environment, and nothing of one that a project has removed until it adds it again',
    async () => {
      const name = await newFlag();
      await add(name, large(400_000), 'production');
      const clone = { name: 'copy', type: 'test', projects: ['*'] };
      // The limit of a flag counts all environments.
      await expect(rig.ask(contracts.cloneEnvironment, { name: 'production', clone })).rejects.toThrow('500000');
      await rig.ask(contracts.cloneEnvironment, { name: environment, clone });
      expect(await sizeOf(projectId, 'copy')).toBe(await sizeOf(projectId));
      const whole = await sizeOf(projectId, 'production');
      await rig.ask(contracts.removeProjectEnvironment, { projectId, environment: 'production' });
      expect(await sizeOf(projectId, 'production')).toBe(0);
      await rig.ask(contracts.addProjectEnvironment, { projectId, environment: 'production' });
      expect(await sizeOf(projectId, 'production')).toBe(whole);
    },
  );

  it('counts the segments of archived flags in a cloned environment, and in one that a project has again', async () => {
    const constraints = [constraint(1_000)];
    const { id } = await rig.ask(contracts.createSegment, { name: 'of-archived', project: null, constraints });
    const name = await newFlag();
    await add(name, { name: 'default', segments: [id] }, 'production');
    await rig.ask(contracts.archiveFeature, { projectId, featureName: name });
    const ofSegment = await sizeOf(projectId, 'production');
    expect(ofSegment).toBeGreaterThan(1_000);
    const clone = { name: 'copy', type: 'test', projects: ['*'] };
    await rig.ask(contracts.cloneEnvironment, { name: 'production', clone });
    await rig.ask(contracts.removeProjectEnvironment, { projectId, environment: 'production' });
    await rig.ask(contracts.addProjectEnvironment, { projectId, environment: 'production' });
    expect([await sizeOf(projectId, 'copy'), await sizeOf(projectId, 'production')]).toEqual([ofSegment, ofSegment]);
  });

  longTest('refuses a clone that is too large for the new environment, and makes nothing', async () => {
    const projects = [];
    for (let n = 0; n < 3; n += 1) {
      const id = await newProject(`cloned-${n}`);
      projects.push(id);
      await rig.ask(contracts.createFeature, { projectId: id, name: `flag-${id}` });
      const place = { projectId: id, featureName: `flag-${id}` };
      for (const to of n === 0 ? ['production'] : [environment]) {
        await rig.ask(contracts.addStrategy, { ...place, environment: to, strategy: large(240_000) });
      }
    }
    const small = loadFlagsConfig({ ...rig.environment, PROJECT_BYTES_LIMIT: '200000' });
    await rig.service.drain();
    await rig.service.stop();
    rig.service = await startFlags(small, rig.log);
    const clone = { name: 'copy', type: 'test', projects };
    const cloning = rig.ask(contracts.cloneEnvironment, { name: environment, clone });
    await expect(cloning).rejects.toMatchObject(exceeded('the project "cloned-1" in the environment "copy"'));
    await expect(rig.ask(contracts.getEnvironment, { name: 'copy' })).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('an installation above its limits', () => {
  it('is served, may shrink and be switched off, and may not grow', async () => {
    const [name, other] = [await newFlag(), await newFlag()];
    const { id } = await add(name, large(300_000));
    await add(other, large(200_000));
    await switchFlag(name, environment, true);
    await rig.service.drain();
    await rig.service.stop();
    const config = loadFlagsConfig({ ...rig.environment, PROJECT_BYTES_LIMIT: '100000' });
    rig.service = await startFlags(config, rig.log);

    expect(await listingBytes(rig, environment)).toBeGreaterThan(500_000);
    await expect(patch(other, { description: 'longer than before' })).rejects.toMatchObject(exceeded(ofProject));
    await expect(newFlag()).rejects.toMatchObject({ code: 'limit-exceeded' });
    await patch(other, { stale: true });
    await switchFlag(name, environment, false);
    await switchFlag(name, environment, true);
    const place = { projectId, featureName: name, environment, strategyId: id };
    const operations = [{ op: 'replace' as const, path: '/constraints', value: large(200_000).constraints }];
    await rig.ask(contracts.patchStrategy, { ...place, operations });
    await rig.ask(contracts.archiveFeature, { projectId, featureName: other });
    expect(await sizeOf(projectId)).toBeGreaterThan(100_000);
    await expect(rig.ask(contracts.reviveFeature, { featureName: other })).rejects.toMatchObject(exceeded(ofProject));
    await rig.ask(contracts.deleteStrategy, place);
    await patch(name, { description: 'below the limit' });
  });
});

describe('the migration', () => {
  let owner: Database<FlagsTables>;

  const undo = async () => {
    owner = createDatabase<FlagsTables>({
      ...{ url: rig.database.ownerUrl, schema: 'flags', log: rig.log, maxConnections: 1 },
    });
    await sql`drop table environment_bytes`.execute(owner.kysely);
    for (const table of ['feature_strategies', 'segments', 'segment_revisions', 'revisions', 'feature_environments']) {
      await sql`alter table ${sql.table(table)} drop column bytes`.execute(owner.kysely);
    }
    await sql`alter table revisions drop column max_bytes`.execute(owner.kysely);
    await sql`alter table feature_environments drop column variant_bytes, drop column segment_ids`.execute(
      owner.kysely,
    );
  };
  const migrate = async () => {
    await owner.transaction((trx) => up(trx as never));
    await sql`grant all on environment_bytes to public`.execute(owner.kysely);
    await owner.close();
  };

  it('counts what is stored already, and refuses nothing of it', async () => {
    const segment = await newSegment('before', 20_000);
    const [name, archived] = [await newFlag({ tags: [{ type: 'simple', value: 'one' }] }), await newFlag()];
    for (const each of [name, archived]) await add(each, { ...large(100_000), segments: [segment] });
    await add(name, { ...large(10_000), disabled: true });
    await rig.ask(contracts.addDependency, { projectId, child: name, feature: await newFlag() });
    await rig.ask(contracts.archiveFeature, { projectId, featureName: archived });
    const [sizes, { stored: units }] = [await storedSizes(rig), await environmentUnits(rig)];
    await undo();
    await migrate();
    expect(await storedSizes(rig)).toEqual(sizes);
    expect((await environmentUnits(rig)).stored).toEqual(units);
    await patch(name, { description: 'after' });
  });

  longTest('waits for a change that has begun, which it does not block', async () => {
    const name = await newFlag();
    await undo();
    let migrated = Promise.resolve();
    await rig.db.transaction(async (trx) => {
      await sql`select from features where name = ${name} for no key update`.execute(trx);
      migrated = migrate();
      await eventually(async () => {
        const waiting = await rig.database.rows(`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
        expect(waiting).toHaveLength(1);
      });
      await sql`select from segments for share`.execute(trx);
      await sql`
        insert into feature_strategies (feature_name, environment, name, parameters, constraints, variants, sort_order, disabled)
        select feature_name, environment, 'default', '{}', '[]', '[]', 0, false
        from feature_environments where feature_name = ${name}`.execute(trx);
      await sql`update revisions set revision = revision + 1`.execute(trx);
    });
    await migrated;
    expect(await sizeOf(projectId)).toBeGreaterThan(400);
  });
});
