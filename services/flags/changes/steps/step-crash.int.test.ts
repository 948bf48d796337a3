// Proves that a crash leaves a step new or finished: a process is killed with SIGKILL between the change and its
// commit, and between the commit and the answer. Another process then gets the step again.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as contracts from '@yardarm/shared/contracts/flags';
import { createTestDatabase, eventually, longTest, type TestDatabase } from '@yardarm/testing';
import pg from 'pg';
import { beforeEach, expect, inject, it } from 'vitest';
import { loadFlagsConfig } from '../../config.ts';
import { startFlags } from '../../service.ts';
import { admin, contextOf, type FlagsObserver, flagsEnvironment, observeFlags } from '../../testing/flags-rig.ts';
import { bot } from '../../testing/step-calls.ts';

const project = 'default';
const environment = 'production';
const featureName = 'checkout';
const child = fileURLToPath(new URL('../../testing/crash-child.ts', import.meta.url));
const effects = ['feature-created', 'feature-strategy-add', 'feature-environment-enabled'];

let database: TestDatabase;
let observer: FlagsObserver;
let stepId: string;

beforeEach(async () => {
  stepId = randomUUID();
  database = await createTestDatabase();
  observer = await observeFlags(flagsEnvironment(database.urlFor('flags'), inject('natsUrl')));
  return async () => {
    await observer.close();
    await database.drop();
  };
});

async function startChild(point: string): Promise<ChildProcess> {
  const started = spawn(process.execPath, [child, point, '1'], {
    ...{ env: observer.environment, stdio: ['ignore', 'pipe', 'inherit'] as const },
  });
  await once(started.stdout!, 'data');
  await observer.ask(contracts.createFeature, { projectId: project, name: featureName }, admin);
  return started;
}

/** The child dies before it answers, so the answer may be missing. */
const execute = (timeoutMs = 20_000) => {
  observer.accounts.actors.set(bot.id, bot);
  return observer.bus.request(
    contracts.executeStep,
    {
      ...{ stepId, serviceAccountId: bot.id },
      step: { action: 'TOGGLE_FEATURE_ON', parameters: { project, environment, featureName } },
    },
    { ...contextOf(null), deadline: Date.now() + timeoutMs },
  );
};

const typesOf = async () => (await observer.events(featureName)).map(({ type }) => type);
const stored = () => observer.db.kysely.selectFrom('steps').select('outcome').where('id', '=', stepId).execute();

async function isOn(): Promise<boolean> {
  const row = await observer.db.kysely
    .selectFrom('feature_environments')
    .select('enabled')
    .where('environment', '=', environment)
    .executeTakeFirstOrThrow();
  return row.enabled;
}

/** Sends the step to another process, twice. */
async function repeat(): Promise<string[]> {
  const service = await startFlags(loadFlagsConfig(observer.environment), observer.log);
  const details = [(await execute()).details, (await execute()).details];
  await service.drain();
  await service.stop();
  return details;
}

const switched = 'Switched the feature "checkout" on in the environment "production".';

it('a process that dies between the change and the commit leaves nothing, and the repetition does the step', async () => {
  const process = await startChild('never');
  const ended = once(process, 'exit');
  const holder = new pg.Client({ connectionString: database.ownerUrl });
  await holder.connect();
  // The change is written, and its authors are recorded after it. That insert waits for this one.
  await holder.query('begin');
  await holder.query(`insert into flags.users (id, username, told_at) values ($1, 'bot', now())`, [bot.id]);
  const answer = execute(2_000).catch(() => null);
  let pid = 0;
  await eventually(async () => {
    const [row] = await database.rows<{ pid: number }>(`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into users%'`);
    expect(row).toBeDefined();
    pid = row!.pid;
  });
  process.kill('SIGKILL');
  await ended;
  await holder.query('rollback');
  await holder.end();
  await eventually(async () => {
    expect(await database.rows('select from pg_stat_activity where pid = $1', [pid])).toEqual([]);
  });
  await answer;
  expect([await stored(), await isOn(), await typesOf()]).toEqual([[], false, ['feature-created']]);

  expect(await repeat()).toEqual([switched, switched]);
  expect([await isOn(), await typesOf()]).toEqual([true, effects]);
});

longTest(
  'a process that dies between the commit and the answer has done the step, and the repetition has its outcome',
  async () => {
    const process = await startChild('after-step');
    const ended = once(process, 'exit');
    const answer = execute(2_000).catch(() => null);
    await ended;
    await answer;
    expect(await stored()).toEqual([{ outcome: { status: 'done', details: switched } }]);
    expect([await isOn(), await typesOf()]).toEqual([true, effects]);

    expect(await repeat()).toEqual([switched, switched]);
    expect(await typesOf()).toEqual(effects);
  },
);
