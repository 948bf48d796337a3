// Three replicas and a fourth process share the job of staleness: each potentially stale flag gets one event.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as contracts from '@yardarm/shared/contracts/flags';
import { LeaseLostError, sql } from '@yardarm/shared/db';
import type { RunningService } from '@yardarm/shared/service';
import { eventually, longTest } from '@yardarm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadFlagsConfig } from '../../config.ts';
import { startFlags } from '../../service.ts';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { limits } from '../../testing/limits.ts';
import { markPotentiallyStale } from './mark-potentially-stale.ts';
import { isPotentiallyStale } from './staleness.repo.ts';

const projectId = 'default';
const process_ = fileURLToPath(new URL('../../testing/crash-child.ts', import.meta.url));

let rig: OwnFlagsRig;
const replicas: RunningService[] = [];

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  const config = loadFlagsConfig(rig.environment);
  replicas.push(await startFlags(config, rig.log), await startFlags(config, rig.log));
});
afterAll(async () => {
  for (const replica of replicas) {
    await replica.drain();
    await replica.stop();
  }
  await rig?.stop();
});
afterEach(() => setLifetime('release', 40));

async function newFlags(prefix: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  for (let start = 0; start < count; start += 25) {
    const chunk = names.slice(start, start + 25);
    await Promise.all(chunk.map((name) => rig.ask(contracts.createFeature, { projectId, name })));
  }
  return names;
}

/** One of the replicas is the leader. */
async function processAll(): Promise<void> {
  await Promise.all([rig.service, ...replicas].map((replica) => replica.processAll()));
}

/** Makes the flags `days` old. */
async function age(names: readonly string[], days: number): Promise<void> {
  await sql`
    update features set created_at = now() - make_interval(hours => ${24 * days}) where name = any(${names}::text[])
  `.execute(rig.db.kysely);
}

const setLifetime = (id: string, lifetimeDays: number | null) =>
  rig.ask(contracts.updateFeatureTypeLifetime, { id, lifetimeDays });
const patch = (featureName: string, changes: Record<string, unknown>) =>
  rig.ask(contracts.patchFeature, {
    ...{ projectId, featureName },
    operations: Object.entries(changes).map(([name, value]) => ({ op: 'replace' as const, path: `/${name}`, value })),
  });

async function eventsOf(names: readonly string[]): Promise<(string | null | undefined)[]> {
  const events = await rig.events();
  const stale = events.filter(({ type }) => type === 'feature-potentially-stale-on');
  return stale
    .map(({ featureName }) => featureName)
    .filter((name) => names.includes(name ?? ''))
    .sort();
}

describe('potentially stale', () => {
  it.each([
    ['older than its lifetime', { days: 41, lifetime: 40 }, true],
    ['as old as its lifetime', { days: 40, lifetime: 40 }, true],
    ['younger', { days: 39, lifetime: 40 }, false],
    ['of a type without a lifetime', { days: 4_000, lifetime: null }, false],
    ['of a type that lives longer than time', { days: 4_000, lifetime: 2_147_483_647 }, false],
    ['marked as stale', { days: 41, lifetime: 40, stale: true }, false],
    ['archived', { days: 41, lifetime: 40, archived: true }, false],
  ])('a flag is or is not: %s', async (_, { days, lifetime, ...marks }, expected) => {
    const { stale = false, archived = false } = marks as { stale?: boolean; archived?: boolean };
    const { rows } = await sql<{ is: boolean }>`
      select ${isPotentiallyStale} as is
      from (
        select now() - make_interval(hours => ${24 * days}) as created_at, ${stale}::boolean as stale,
          case when ${archived}::boolean then now() end as archived_at
      ) as f cross join (select ${lifetime}::integer as lifetime_days) as t`.execute(rig.db.kysely);
    expect(rows).toEqual([{ is: expected }]);
  });

  it('flags get one event each from three replicas, by the system, and nothing else of them changes', async () => {
    const names = await newFlags('many', 250);
    await age(names, 41);
    const before = [await rig.ask(contracts.getFeature, { projectId, featureName: names[0]! })];
    const revisions = await rig.ask(contracts.listRevisions, {});
    await processAll();
    expect(await eventsOf(names)).toEqual(names.toSorted());
    const events = await rig.events(names[0]);
    expect(events.at(-1)).toMatchObject({
      ...{ createdBy: 'yardarm-system', createdByUserId: -1337, project: projectId, data: null, preData: null },
    });
    expect([await rig.ask(contracts.getFeature, { projectId, featureName: names[0]! })]).toEqual(before);
    expect(await rig.ask(contracts.listRevisions, {})).toEqual(revisions);
  });

  it('again after it was not, a flag gets another event', async () => {
    const [name] = (await newFlags('again', 1)) as [string];
    await age([name], 41);
    await processAll();
    await patch(name, { stale: true });
    await processAll();
    await patch(name, { stale: false });
    await processAll();
    expect(await eventsOf([name])).toEqual([name, name]);
    await setLifetime('release', null);
    await processAll();
    await setLifetime('release', 41);
    await processAll();
    expect(await eventsOf([name])).toEqual([name, name, name]);
  });

  longTest(
    'flags get their events from another replica within 30 s when the holder of the lease is killed',
    async () => {
      const names = await newFlags('orphaned', 20);
      const child = spawn(process.execPath, [process_, 'never', '0'], {
        ...{ env: rig.environment, stdio: ['ignore', 'pipe', 'inherit'] as const },
      });
      await once(child.stdout!, 'data');
      // All other replicas release the lease, so its holder is the child.
      for (const replica of replicas.splice(0)) {
        await replica.drain();
        await replica.stop();
      }
      await rig.service.drain();
      await eventually(async () => {
        const held = rig.db.kysely.selectFrom('lease').where('name', '=', 'staleness');
        await held.select('holder').where('expires_at', '>', sql<Date>`now()`).executeTakeFirstOrThrow();
      });
      await rig.service.stop();
      const config = loadFlagsConfig(rig.environment);
      for (let count = 0; count < 3; count += 1) replicas.push(await startFlags(config, rig.log));
      rig.service = replicas.pop()!;
      child.kill('SIGKILL');
      await once(child, 'exit');
      await age(names, 41);
      // Nothing wakes the replicas. One of them has the lease and works within half a minute.
      await expect.poll(() => eventsOf(names), { timeout: 30_000 }).toEqual(names.toSorted());
      await processAll();
      expect(await eventsOf(names)).toEqual(names.toSorted());
    },
  );

  it('flags are not marked by a leader that has lost its lease', async () => {
    const names = await newFlags('lost', 3);
    const lost = {
      async requireCurrent() {
        throw new LeaseLostError('another replica has the lease');
      },
    };
    await age(names, 20);
    const before = await eventsOf(names);
    await sql`update features set created_at = now() - interval '41 days' where name = ${names[0]}`.execute(
      rig.db.kysely,
    );
    await expect(markPotentiallyStale({ bus: rig.bus, db: rig.db, limits }, lost)).rejects.toThrow(LeaseLostError);
    expect(before).toEqual([]);
    await processAll();
    expect(await eventsOf(names)).toEqual([names[0]]);
  });
});
