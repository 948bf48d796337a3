// Tests what other services ask flags for: which projects exist and since when, and the limits.
import { findMissingProjectsAndEnvironments, getFlagsLimits } from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

let rig: OwnFlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig({ UNLEASH_PROJECTS_LIMIT: '7', UNLEASH_SEGMENTS_LIMIT: '8' });
});

afterAll(() => rig?.stop());

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
