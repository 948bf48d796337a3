// Proves that a step takes effect once: a repetition has the first outcome, and concurrent deliveries have one effect.
import { randomUUID } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import { eventually } from '@yardarm/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagCalls } from '../../testing/flag-calls.ts';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { bot, stepCalls } from '../../testing/step-calls.ts';

const project = 'default';
const environment = 'production';

let rig: OwnFlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const { newFlag, typesOf, switchFlag } = flagCalls(() => rig);
const { send, countStored } = stepCalls(() => rig);

const on = (featureName: string) => ({
  action: 'TOGGLE_FEATURE_ON' as const,
  parameters: { project, environment, featureName },
});

describe('a repetition', () => {
  it('returns the first outcome and does nothing, also when the flag has changed since', async () => {
    const [name, stepId] = [await newFlag(), randomUUID()];
    const first = await send(stepId, on(name));
    await switchFlag(name, environment, false);
    const types = await typesOf(name);
    expect(await send(stepId, on(name))).toEqual(first);
    // The id decides, in either case.
    expect(await send(stepId.toUpperCase(), on('another'))).toEqual(first);
    expect(await typesOf(name)).toEqual(types);
  });

  it('returns the first outcome of a step that changed nothing', async () => {
    const [name, stepId] = [await newFlag(), randomUUID()];
    await switchFlag(name, environment, true);
    const first = await send(stepId, on(name));
    expect(first.details).toMatch(/^No change/);
    await switchFlag(name, environment, false);
    expect(await send(stepId, on(name))).toEqual(first);
    expect((await typesOf(name)).at(-1)).toBe('feature-environment-disabled');
  });

  it('throws the first refusal, also when the step would succeed now', async () => {
    const [name, stepId] = [`late.${randomUUID()}`, randomUUID()];
    const refusal = { code: 'not-found', message: expect.stringContaining(`"${name}"`) };
    await expect(send(stepId, on(name))).rejects.toMatchObject(refusal);
    await rig.ask(contracts.createFeature, { projectId: project, name });
    await expect(send(stepId, on(name))).rejects.toMatchObject(refusal);
    expect(await typesOf(name)).toEqual(['feature-created']);
    expect((await send(randomUUID(), on(name))).details).toMatch(/^Switched/);
  });

  it('has the first outcome whatever the actor may do by then', async () => {
    const [name, allowed, refused] = [await newFlag(), randomUUID(), randomUUID()];
    const powerless = { ...bot, grants: [] };
    const first = await send(allowed, on(name));
    expect(await send(allowed, on(name), powerless)).toEqual(first);
    await expect(send(refused, on(name), powerless)).rejects.toMatchObject({ code: 'no-access' });
    await expect(send(refused, on(name))).rejects.toMatchObject({ code: 'no-access' });
  });
});

/** Locks the row of a flag while `fn` runs, in a transaction in which `change` runs before the release. */
async function whileLocked(
  featureName: string,
  fn: (release: (change?: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const holder = new pg.Client({ connectionString: rig.database.ownerUrl });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from flags.features where name = $1 for update', [featureName]);
    await fn(async (change) => {
      if (change !== undefined) await holder.query(change, [featureName]);
      await holder.query('commit');
    });
  } finally {
    await holder.end();
  }
}

/** The sessions that wait for locks, when there are so many. */
async function waiting(count: number): Promise<number[]> {
  let pids: number[] = [];
  await eventually(async () => {
    const rows = await rig.database.rows<{ pid: number }>(`
      select distinct pid from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database()`);
    expect(rows).toHaveLength(count);
    pids = rows.map(({ pid }) => pid);
  });
  return pids;
}

describe('concurrent deliveries', () => {
  const racers = Array.from({ length: 10 }, (_, index) => index);

  it('of one step have one effect and one outcome', async () => {
    const steps = await Promise.all(racers.map(async () => ({ name: await newFlag(), stepId: randomUUID() })));
    const answers = await Promise.all(
      steps.flatMap(({ name, stepId }) => [send(stepId, on(name)), send(stepId, on(name))]),
    );
    for (const { details } of answers) expect(details).toMatch(/^Switched/);
    for (const { name, stepId } of steps) {
      expect(await typesOf(name)).toEqual(['feature-created', 'feature-strategy-add', 'feature-environment-enabled']);
      expect(await countStored(stepId)).toBe(1);
    }
  });

  it('of one step that a race decides have one outcome', async () => {
    for (const racer of racers) {
      const [name, stepId] = [`raced.${racer}`, randomUUID()];
      const [, ...answers] = await Promise.all([
        rig.ask(contracts.createFeature, { projectId: project, name }),
        ...[1, 2, 3].map(() =>
          send(stepId, on(name)).then(
            ({ details }) => details,
            ({ message }) => message,
          ),
        ),
      ]);
      expect(new Set(answers).size).toBe(1);
      const isSwitched = /^Switched/.test(answers[0]);
      expect((await typesOf(name)).length).toBe(isSwitched ? 3 : 1);
    }
  });

  it('of one step wait for the first one, which holds its flag', async () => {
    const [name, stepId] = [await newFlag(), randomUUID()];
    await whileLocked(name, async (release) => {
      const answers = [send(stepId, on(name)), send(stepId, on(name))];
      await waiting(2);
      await release();
      const [one, other] = await Promise.all(answers);
      expect(one).toEqual(other);
    });
    expect(await typesOf(name)).toEqual(['feature-created', 'feature-strategy-add', 'feature-environment-enabled']);
  });
});

it.each([
  ['loses its tag', 'delete from flags.feature_tags where feature_name = $1'],
  ['is archived', 'update flags.features set archived_at = now() where name = $1'],
])('a flag that %s while a step by tag waits for it is not switched', async (_, change) => {
  const value = randomUUID();
  const [name, other] = [
    await newFlag({ tags: [{ type: 'simple', value }] }),
    await newFlag({ tags: [{ type: 'simple', value }] }),
  ];
  const parameters = { project, environment, tag: `simple:${value}` };
  await whileLocked(name, async (release) => {
    const answer = send(randomUUID(), { action: 'TOGGLE_FEATURES_ON_BY_TAG', parameters });
    await waiting(1);
    await release(change);
    expect((await answer).details).toBe(
      `Switched 1 flag with the tag "simple:${value}" on in the environment "production".`,
    );
  });
  expect(await typesOf(name)).toEqual(['feature-created']);
  expect((await typesOf(other)).at(-1)).toBe('feature-environment-enabled');
});

it('a step whose database connection breaks is new again', async () => {
  const [name, stepId] = [await newFlag(), randomUUID()];
  await whileLocked(name, async () => {
    const answer = expect(send(stepId, on(name))).rejects.toMatchObject({ code: 'unavailable' });
    const [pid] = await waiting(1);
    await rig.database.rows('select pg_terminate_backend($1)', [pid]);
    await answer;
  });
  expect(await countStored(stepId)).toBe(0);
  expect((await send(stepId, on(name))).details).toMatch(/^Switched/);
});
