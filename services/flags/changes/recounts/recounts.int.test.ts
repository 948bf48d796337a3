// Proves that sizes are right again after replicas of the release before, which write none, have changed flags.

import * as contracts from '@yardarm/shared/contracts/flags';
import { LeaseLostError, sql } from '@yardarm/shared/db';
import { longTest } from '@yardarm/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limitsOf, loadFlagsConfig } from '../../config.ts';
import { flagCalls } from '../../testing/flag-calls.ts';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { countedSizes, environmentUnits, storedSizes } from '../../testing/sizes.ts';
import { recountSizes } from './recount-sizes.ts';

const projectId = 'default';
const leadership = { signal: new AbortController().signal, requireCurrent: async () => {} };

let rig: OwnFlagsRig;

beforeEach(async () => {
  rig = await startOwnFlagsRig({ PROJECT_BYTES_LIMIT: '100000' });
});
afterEach(() => rig.stop());

const { newFlag, add, patch, get } = flagCalls(() => rig);
const recount = () =>
  recountSizes({ bus: rig.bus, db: rig.db, limits: limitsOf(loadFlagsConfig(rig.environment)) }, leadership);
const expectRightSizes = async () => {
  expect(await storedSizes(rig)).toEqual(await countedSizes(rig));
  const { stored, summed } = await environmentUnits(rig);
  expect(stored).toEqual(summed);
};

/** What the release before writes: every column but those of sizes. */
const asBefore = {
  async createFlag(name: string, description: string | null) {
    await sql`
      insert into features (name, project, type, description, impression_data, created_by_user_id)
      values (${name}, ${projectId}, 'release', ${description}, false, 1)`.execute(rig.db.kysely);
    await sql`
      insert into feature_environments (feature_name, environment, project, revision)
      select ${name}, environment, project, (select max(revision) + 1 from revisions)
      from project_environments where project = ${projectId}`.execute(rig.db.kysely);
    await sql`insert into feature_lifecycle (feature_name, stage) values (${name}, 'initial')`.execute(rig.db.kysely);
    await sql`update revisions set revision = revision + 1 where project = ${projectId}`.execute(rig.db.kysely);
  },
  describe: (name: string, description: string | null) =>
    sql`update features set description = ${description}, version = version + 1 where name = ${name}`.execute(
      rig.db.kysely,
    ),
};

describe('a flag that a replica of the release before has made', () => {
  it('has the right size after the first patch that makes it longer or shorter', async () => {
    await asBefore.createFlag('longer', null);
    await asBefore.createFlag('shorter', 'x'.repeat(10_000));
    await patch('longer', { description: 'y'.repeat(100) });
    await patch('shorter', { description: null });
    await expectRightSizes();
  });

  it('has the right size after a PUT', async () => {
    await asBefore.createFlag('replaced', 'x'.repeat(10_000));
    await rig.ask(contracts.updateFeature, {
      projectId,
      featureName: 'replaced',
      type: 'release',
      description: 'short',
    });
    await expectRightSizes();
  });

  longTest('never gets a size below zero, when its description was changed too', async () => {
    const name = await newFlag({ description: 'short' });
    await asBefore.describe(name, 'x'.repeat(10_000));
    await patch(name, { description: null });
    await expectRightSizes();
  });
});

describe('a recount', () => {
  it('corrects flags, segments and places, once', async () => {
    await newFlag({ description: 'right' });
    await expectRightSizes();
    expect(await recount()).toEqual({ features: 0, segments: 0, places: 0 });

    const [changed, moved, using] = [await newFlag({ description: 'short' }), await newFlag(), await newFlag()];
    const constraints = [
      { contextName: 'userId', operator: 'IN' as const, values: ['1'], inverted: false, caseInsensitive: false },
    ];
    const segment = await rig.ask(contracts.createSegment, { name: 'used', project: null, constraints });
    await add(using, { name: 'default', segments: [segment.id] });
    await rig.ask(contracts.createProject, { id: 'another', name: 'Another' });
    await asBefore.createFlag('made', 'x'.repeat(5_000));
    await asBefore.describe(changed, 'x'.repeat(9_000));
    await sql`update features set project = 'another' where name = ${moved}`.execute(rig.db.kysely);
    await sql`update segments set constraints = '[{"long": true}]' where id = ${segment.id}`.execute(rig.db.kysely);

    expect(await recount()).toEqual({
      // The made and the changed flag, and the places of the moved one, in two environments each.
      features: 4,
      segments: 1,
      places: 2,
    });
    await expectRightSizes();
    expect(await recount()).toEqual({ features: 0, segments: 0, places: 0 });
    await rig.ask(contracts.updateSegment, { id: segment.id, name: 'used', project: null, constraints });
    await expectRightSizes();
  });

  it('counts what is above the limit, which may then only shrink', async () => {
    for (let n = 0; n < 12; n += 1) await asBefore.createFlag(`large-${n}`, 'x'.repeat(9_000));
    await recount();
    await expectRightSizes();
    await expect(newFlag()).rejects.toMatchObject({ code: 'limit-exceeded' });
    await patch('large-0', { description: null });
    await expectRightSizes();
  });

  it('is right while flags are changed', async () => {
    const names = await Promise.all(Array.from({ length: 10 }, () => newFlag({ description: 'x' })));
    for (let n = 0; n < 8; n += 1) {
      await asBefore.describe(names[n]!, 'y'.repeat(100 * n));
      await Promise.all([
        recount(),
        ...names.map((name, index) =>
          index % 2 === n % 2 ? patch(name, { description: 'z'.repeat(n + index) }) : null,
        ),
      ]);
      await recount();
      await expectRightSizes();
    }
  });

  longTest('waits for no locked flag, and corrects the others', async () => {
    await asBefore.createFlag('locked', 'x');
    await asBefore.createFlag('free', 'x');
    await rig.db.transaction(async (trx) => {
      await sql`select from features where name = 'locked' for update`.execute(trx);
      expect(await recount()).toMatchObject({ features: 4 });
    });
    expect(await recount()).toMatchObject({ features: 2 });
    await expectRightSizes();
  });

  longTest('changes nothing when the lease is lost', async () => {
    await asBefore.createFlag('made', 'x');
    const before = await storedSizes(rig);
    const lost = {
      ...leadership,
      requireCurrent: async () => {
        throw new LeaseLostError('size-recount');
      },
    };
    const limits = limitsOf(loadFlagsConfig(rig.environment));
    await expect(recountSizes({ bus: rig.bus, db: rig.db, limits }, lost)).rejects.toThrow(LeaseLostError);
    expect(await storedSizes(rig)).toEqual(before);
    expect(await get('made')).toMatchObject({ description: 'x' });
  });
});
