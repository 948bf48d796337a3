// Tests what other services ask flags for: which projects exist and since when, and the limits.
import { findMissingProjectsAndEnvironments, getFlagsLimits } from '@yardarm/shared/contracts/flags';
import { createTestDatabase, type TestDatabase } from '@yardarm/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type FlagsRig, flagsEnvironment, startFlagsRig } from '../testing/flags-rig.ts';

let database: TestDatabase;
let rig: FlagsRig;

beforeAll(async () => {
  database = await createTestDatabase();
  const environment = flagsEnvironment(database.urlFor('flags'), inject('natsUrl'));
  rig = await startFlagsRig({ ...environment, UNLEASH_PROJECTS_LIMIT: '7', UNLEASH_SEGMENTS_LIMIT: '8' });
});

afterAll(async () => {
  await rig?.stop();
  await database?.drop();
});

it('projects and environments that do not exist are missing, the others are found with the time of their creation', async () => {
  const { project, environment } = await rig.db.kysely
    .selectFrom('projects')
    .innerJoin('environments', (join) => join.onTrue())
    .select(['projects.created_at as project', 'environments.created_at as environment'])
    .where('id', '=', 'default')
    .where('environments.name', '=', 'production')
    .executeTakeFirstOrThrow();
  const asked = { projects: ['nowhere', 'default'], environments: ['production', 'Production'] };
  expect(await rig.ask(findMissingProjectsAndEnvironments, asked)).toEqual({
    projects: ['nowhere'],
    environments: ['Production'],
    found: [
      { kind: 'project', id: 'default', createdAt: project.toISOString() },
      { kind: 'environment', id: 'production', createdAt: environment.toISOString() },
    ],
  });
});

it('the limits are those of the settings, else the defaults', async () => {
  expect(await rig.ask(getFlagsLimits, {})).toEqual({
    featureFlags: 50_000,
    featureEnvironmentStrategies: 30,
    strategySegments: 5,
    constraints: 30,
    constraintValues: 1_000,
    segments: 8,
    segmentValues: 1_000,
    projects: 7,
    environments: 50,
  });
});
