// Proves that a large environment is read in frames, and one that is too large for a statement in portions of one
// moment.
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { eventually, insertLargeFlags, longTest } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { contextOf, type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { fetchSnapshot } from './snapshots.handlers.ts';

type Part = z.output<typeof contracts.fetchSnapshot.output>;

const environment = 'production';
let rig: OwnFlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig({ ENVIRONMENT_BYTES_LIMIT: '1000000000', PROJECT_BYTES_LIMIT: '1000000000' });
});
afterAll(() => rig?.stop());

const partsOf = (known: z.input<typeof contracts.fetchSnapshot.input>['known'] = null, where = environment) =>
  rig.bus.requestParts(contracts.fetchSnapshot, { environment: where, known }, contextOf(null));
const describeFlag = (featureName: string, projectId: string, value: string) =>
  rig.ask(contracts.patchFeature, {
    ...{ projectId, featureName },
    operations: [{ op: 'replace', path: '/description', value }],
  });
const transactions = async (): Promise<number> => {
  const [row] = await rig.database.rows<{ count: number }>(`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and usename <> current_user and state like '%in transaction%'`);
  return row!.count;
};

describe('a large environment', () => {
  it('of 3,000 flags is sent in several frames, each well below the size of a message, complete and in order', async () => {
    await sql`insert into projects (id, name) values ('large', 'Large')`.execute(rig.db.kysely);
    await sql`insert into project_environments (project, environment) values ('large', 'production')`.execute(
      rig.db.kysely,
    );
    await sql`insert into revisions (environment, project, revision) values ('production', 'large', 1)`.execute(
      rig.db.kysely,
    );
    await sql`
      insert into features (name, project, type, description, impression_data, created_by_user_id)
      select 'large-' || lpad(n::text, 4, '0'), 'large', 'release', repeat('x', 300), false, 1
      from generate_series(1, 3000) as n`.execute(rig.db.kysely);
    await sql`
      insert into feature_environments (feature_name, environment, project, revision)
      select name, 'production', 'large', 1 from features where project = 'large'`.execute(rig.db.kysely);

    const input = { environment, known: null };
    const frames = (await Array.fromAsync(fetchSnapshot(rig as never, input, contextOf(null) as never))) as Part[];
    expect(frames.length).toBeGreaterThan(3);
    const [{ epoch, revisions, isWhole }] = frames as [Part];
    for (const frame of frames) {
      expect(JSON.stringify(frame).length).toBeLessThan(300_000);
      expect(frame).toMatchObject({ epoch, revisions, isWhole });
    }
    const { changed } = await rig.ask(contracts.fetchSnapshot, input);
    expect(changed).toEqual(frames.flatMap((frame) => frame.changed));
    const names = changed.map(({ feature }) => feature.name);
    expect(names).toEqual([...names].sort());
    expect(names.filter((name) => name.startsWith('large-'))).toHaveLength(3000);
  });
});

describe('an environment that is too large for one statement', () => {
  const projectId = 'huge';
  const where = 'development';
  let segmentId: number;

  beforeAll(async () => {
    await insertLargeFlags(rig.database, { project: projectId, environment: where, count: 150, bytes: 400_000 });
    const values = [{ contextName: 'userId', operator: 'IN' as const, values: ['7'] }];
    const segment = await rig.ask(contracts.createSegment, { name: 'seven', constraints: values });
    segmentId = segment.id;
    await rig.ask(contracts.createFeature, { projectId: 'default', name: 'beside' });
    await rig.ask(contracts.addStrategy, {
      ...{ projectId: 'default', featureName: 'beside', environment: where },
      strategy: { name: 'default', segments: [segment.id] },
    });
  });

  longTest('is sent in frames of one moment, whatever is changed meanwhile', async () => {
    const before = await rig.ask(contracts.listRevisions, {});
    const parts: Part[] = [];
    for await (const part of partsOf(null, where)) {
      parts.push(part);
      if (parts.length === 3) {
        await describeFlag('huge-00149', projectId, 'later');
        await rig.ask(contracts.createFeature, { projectId, name: 'huge-later' });
      }
    }
    expect(parts.length).toBeGreaterThan(75);
    for (const { epoch, revisions, isWhole } of parts)
      expect({ epoch, revisions, isWhole }).toEqual({
        ...{ epoch: before.epoch, revisions: before.environments[where], isWhole: true },
      });
    const flags = parts.flatMap(({ changed }) => changed.map(({ feature }) => feature));
    const names = flags.filter(({ project }) => project === projectId).map(({ name }) => name);
    expect(names).toEqual(Array.from({ length: 150 }, (_, n) => `huge-${String(n).padStart(5, '0')}`));
    expect(flags.find(({ name }) => name === 'huge-00149')!.description).toBeNull();
    expect(parts.flatMap(({ changedSegments }) => changedSegments)).toMatchObject([
      { id: segmentId, name: 'seven', project: 'default', constraints: [{ values: ['7'] }] },
    ]);

    // A delta leads from there, in one statement: it is small.
    const { epoch, revisions } = parts[0]!;
    const delta = await rig.ask(contracts.fetchSnapshot, { environment: where, known: { epoch, revisions } });
    expect(delta.isWhole).toBe(false);
    expect(delta.changed.map(({ feature }) => [feature.name, feature.description])).toEqual([
      ['huge-00149', 'later'],
      ['huge-later', null],
    ]);
  });

  longTest('and changes that are too large are sent in portions too, with what SDKs must forget', async () => {
    const { epoch, environments } = await rig.ask(contracts.listRevisions, {});
    const { [projectId]: _, ...known } = environments[where]!;
    await rig.ask(contracts.archiveFeatures, { projectId, features: ['huge-00001'] } as never);
    const parts = await Array.fromAsync(partsOf({ epoch, revisions: known }, where));
    expect(parts.length).toBeGreaterThan(75);
    expect(parts.every(({ isWhole }) => !isWhole)).toBe(true);
    expect(parts.flatMap(({ removed }) => removed)).toContainEqual({ name: 'huge-00001', project: projectId });
    const names = parts.flatMap(({ changed }) => changed.map(({ feature }) => feature.name));
    expect(names).not.toContain('huge-00001');
    expect(names).toHaveLength(150);
  });

  it('occupies two connections at most, none of them when gateways leave', async () => {
    const readers = Array.from({ length: 6 }, () => partsOf(null, where)[Symbol.asyncIterator]());
    const first = readers.map((reader) => reader.next());
    const served = await Promise.race(first);
    expect(served.value).toMatchObject({ isWhole: true });
    // A session that reads its next portion is active, and so not counted, until the portion is sent.
    const twoAreOpen = () => eventually(async () => expect(await transactions()).toBe(2));
    await twoAreOpen();
    await rig.ask(contracts.createFeature, { projectId: 'default', name: 'meanwhile' });
    await twoAreOpen();
    // Each that leaves lets another one begin, in the order in which their requests came.
    const leave = async (reader: (typeof readers)[number], index: number) => {
      await first[index];
      await reader.return?.();
    };
    await Promise.all(readers.map(leave));
    await eventually(async () => expect(await transactions()).toBe(0));
  });

  it('of a name that does not exist is not found', async () => {
    await expect(Array.fromAsync(partsOf(null, 'none'))).rejects.toMatchObject({ code: 'not-found' });
  });
});
