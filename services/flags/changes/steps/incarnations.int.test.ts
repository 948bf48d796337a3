// Proves that a step changes only the project that it is for, and none that is made again under the id.
import { randomUUID } from 'node:crypto';
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { bot } from '../../testing/step-calls.ts';

const environment = 'production';
const featureName = (project: string) => `${project}.checkout`;
const actor = { ...bot, grants: [{ permissions: ['ADMIN' as const] }] };

let rig: FlagsRig;
let number = 0;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

/** A project with a flag. Returns when it was created. */
async function createProject(id: string): Promise<string> {
  await rig.ask(contracts.createProject, { id, name: 'Shop' });
  await rig.ask(contracts.createFeature, { projectId: id, name: featureName(id) });
  const asked = { projects: [id], environments: [] };
  return (await rig.ask(contracts.findMissingProjectsAndEnvironments, asked)).found[0]!.createdAt;
}

async function deleteProject(id: string): Promise<void> {
  await rig.ask(contracts.archiveFeatures, { projectId: id, features: [featureName(id)] });
  await rig.ask(contracts.deleteProject, { projectId: id });
}

const newProject = async () => {
  number += 1;
  const id = `shop-${number}`;
  return { id, createdAt: await createProject(id) };
};

const execute = (project: string, projectCreatedAt: string | null | undefined, stepId: string = randomUUID()) => {
  const parameters = { project, environment, featureName: featureName(project) };
  const step = { action: 'TOGGLE_FEATURE_ON' as const, parameters };
  rig.accounts.actors.set(actor.id, actor);
  return rig.ask(contracts.executeStep, { stepId, step, projectCreatedAt, serviceAccountId: actor.id }, null);
};

const isOn = async (projectId: string) => {
  const feature = await rig.ask(contracts.getFeature, { projectId, featureName: featureName(projectId) });
  return feature.environments.find(({ name }) => name === environment)!.enabled;
};

const notFound = (id: string) => ({ code: 'not-found', message: `Could not find the project with ID "${id}".` });

it('a step changes the project that it is for', async () => {
  const { id, createdAt } = await newProject();
  await execute(id, createdAt);
  expect(await isOn(id)).toBe(true);
});

it('a step for a deleted project is refused in the one that was made again, and has that outcome', async () => {
  const { id, createdAt } = await newProject();
  await deleteProject(id);
  const later = await createProject(id);
  expect(later).not.toBe(createdAt);
  const stepId = randomUUID();
  await expect(execute(id, createdAt, stepId)).rejects.toMatchObject(notFound(id));
  await expect(execute(id, later, stepId)).rejects.toMatchObject(notFound(id));
  expect(await isOn(id)).toBe(false);
  await execute(id, later);
  expect(await isOn(id)).toBe(true);
});

it.each([null, undefined])('a step of the previous version names no creation (%s) and is done', async (unknown) => {
  const { id } = await newProject();
  await execute(id, unknown);
  expect(await isOn(id)).toBe(true);
});

it('a step that waits while its project is made again is refused', async () => {
  const { id, createdAt } = await newProject();
  const countWaiting = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database() and usename = current_user`.execute(
      rig.db.kysely,
    );
    return rows[0]!.count;
  };
  // As a deletion and a new creation before their commit. The flag stays, so that only the project refuses the step.
  const { step } = await rig.db.transaction(async (trx) => {
    await sql`update projects set created_at = clock_timestamp() where id = ${id}`.execute(trx);
    const step = execute(id, createdAt);
    step.catch(() => {});
    await eventually(async () => expect(await countWaiting()).toBe(1));
    return { step };
  });
  await expect(step).rejects.toMatchObject(notFound(id));
  expect(await isOn(id)).toBe(false);
});

it('steps that race with a deletion and a new creation leave the later project as it was made', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { id, createdAt } = await newProject();
    const again = deleteProject(id).then(() => createProject(id));
    const steps = Array.from({ length: 12 }, () => execute(id, createdAt));
    const results = await Promise.allSettled(steps);
    await again;
    const codes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(codes.filter((code) => code !== 'not-found')).toEqual([]);
    await expect(execute(id, createdAt)).rejects.toMatchObject(notFound(id));
    expect(await isOn(id)).toBe(false);
  }
});
