// Proves how long the outcomes of steps are kept.
import { randomUUID } from 'node:crypto';
import { LeaseLostError, sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { flagCalls } from '../../testing/flag-calls.ts';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { stepCalls } from '../../testing/step-calls.ts';
import { startStepRetention } from './start-retention.ts';
import { deleteOldSteps } from './steps.repo.ts';

const leader = { requireCurrent: async () => {}, signal: new AbortController().signal };

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const { newFlag, switchFlag, typesOf } = flagCalls(() => rig);
const { send, countStored } = stepCalls(() => rig);

// The leader of the service deletes steps of more than seven days. The steps of these tests are younger.

const age = (id: string, hours: number) =>
  sql`update steps set finished_at = now() - make_interval(hours => ${hours}) where id = ${id}`.execute(rig.db.kysely);

it('a finished step is kept for the days of the retention and then deleted, so that its id is new again', async () => {
  const name = await newFlag();
  const step = {
    action: 'TOGGLE_FEATURE_ON' as const,
    parameters: { project: 'default', environment: 'production', featureName: name },
  };
  const [kept, old] = [randomUUID(), randomUUID()];
  for (const id of [kept, old]) await send(id, step);
  await age(kept, 2 * 24 - 1);
  await age(old, 2 * 24 + 1);
  await deleteOldSteps(rig.db, leader, 2);
  expect([await countStored(kept), await countStored(old)]).toEqual([1, 0]);

  await switchFlag(name, 'production', false);
  await send(kept, step);
  expect((await typesOf(name)).at(-1)).toBe('feature-environment-disabled');
  await send(old, step);
  expect((await typesOf(name)).at(-1)).toBe('feature-environment-enabled');
});

const countOld = async () => {
  const { rows } = await sql`select from steps where finished_at < now() - interval '2 days'`.execute(rig.db.kysely);
  return rows.length;
};

it('more old steps than a batch are all deleted, unless the leadership ends', async () => {
  await sql`
    insert into steps (id, outcome, finished_at)
    select gen_random_uuid(), '{"status": "done", "details": "old"}', now() - interval '3 days'
    from generate_series(1, 2500)`.execute(rig.db.kysely);
  const leaving = new AbortController();
  const once = {
    async requireCurrent() {
      leaving.abort();
    },
    signal: leaving.signal,
  };
  await deleteOldSteps(rig.db, once, 2);
  expect(await countOld()).toBe(1500);
  await deleteOldSteps(rig.db, leader, 2);
  expect(await countOld()).toBe(0);
});

it('a leader that has lost its lease deletes nothing', async () => {
  const id = randomUUID();
  await sql`insert into steps (id, outcome, finished_at) values (${id}, '{}', now() - interval '3 days')`.execute(
    rig.db.kysely,
  );
  const lost = {
    ...leader,
    async requireCurrent() {
      throw new LeaseLostError('another replica has the lease');
    },
  };
  await expect(deleteOldSteps(rig.db, lost, 2)).rejects.toThrow(LeaseLostError);
  expect(await countStored(id)).toBe(1);
});

it('another replica deletes the steps of more than seven days when the holder of the lease stops', async () => {
  const [kept, old] = [randomUUID(), randomUUID()];
  await rig.service.drain();
  await sql`insert into steps (id, outcome) values (${kept}, '{}'), (${old}, '{}')`.execute(rig.db.kysely);
  await age(kept, 7 * 24 - 1);
  await age(old, 7 * 24 + 1);
  const successor = startStepRetention({ db: rig.db, log: rig.log });
  await expect.poll(() => countStored(old), { timeout: 10_000 }).toBe(0);
  expect(await countStored(kept)).toBe(1);
  await successor.stop();
});
