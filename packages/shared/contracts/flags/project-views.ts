import { z } from 'zod';
import { request } from '../contract.ts';
import { featureNamingSchema, linkTemplateSchema } from './project.ts';
import { defaultStrategySchema } from './project-environment.ts';

const timestamp = z.iso.datetime();
const count = z.number().int().min(0);

/** How far a project is: without flags, with flags that no SDK has asked for, or in use. */
export const onboardingStatusSchema = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('onboarding-started') }),
    z.object({ status: z.literal('first-flag-created'), feature: z.string() }),
    z.object({ status: z.literal('onboarded') }),
  ])
  .meta({ id: 'onboardingStatusSchema' });

/** Flags that are stale or potentially stale, of 100 that are not archived. `health` is the rest. */
const debt = { health: count.max(100), technicalDebt: count.max(100) };

const summaryExample = {
  ...{ id: 'shop', name: 'Shop', description: 'Everything that customers see.', mode: 'open' as const },
  ...{ defaultStickiness: 'default', health: 80, technicalDebt: 20, featureCount: 10, staleFeatureCount: 1 },
  ...{ potentiallyStaleFeatureCount: 1, cleanupCount: 0, favorite: true, createdAt: '2026-01-31T12:00:00.000Z' },
  ...{ updatedAt: '2026-01-31T12:00:00.000Z', lastUpdatedAt: '2026-02-01T12:00:00.000Z', archivedAt: null },
  ...{ lastReportedFlagUsage: '2026-02-01T12:00:00.000Z', onboardingStatus: { status: 'onboarded' as const } },
};

/** A project of the list of projects. Counts are of flags that are not archived. */
export const projectSummarySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    mode: z.literal('open'),
    defaultStickiness: z.string(),
    ...debt,
    featureCount: count,
    staleFeatureCount: count,
    potentiallyStaleFeatureCount: count,
    /** Flags whose lifecycle is completed, so that their code can be removed. */
    cleanupCount: count,
    favorite: z.boolean(),
    createdAt: timestamp,
    updatedAt: timestamp,
    /** The last change of the project or one of its flags. */
    lastUpdatedAt: timestamp,
    archivedAt: timestamp.nullable(),
    lastReportedFlagUsage: timestamp.nullable(),
    onboardingStatus: onboardingStatusSchema,
  })
  .meta({ examples: [summaryExample] });

export type ProjectSummary = z.infer<typeof projectSummarySchema>;

export const listProjects = request({
  name: 'flags.project.list',
  writes: false,
  summary: 'The projects that are not archived, or the archived ones, by name, as the caller sees them',
  input: z.object({
    archived: z.boolean().default(false),
    /** Lists only the projects with these ids; without it, all of them. */
    ids: z.array(z.string()).optional(),
  }),
  output: z.object({ projects: z.array(projectSummarySchema) }),
  permission: 'authenticated',
});

const statsExample = {
  ...{ avgTimeToProdCurrentWindow: 3.5, createdCurrentWindow: 2, createdPastWindow: 1 },
  ...{ archivedCurrentWindow: 0, archivedPastWindow: 1 },
};

export const projectOverviewSchema = z
  .object({
    name: z.string(),
    description: z.string().nullable(),
    mode: z.literal('open'),
    defaultStickiness: z.string(),
    featureLimit: z.number().int().nullable(),
    featureNaming: featureNamingSchema,
    linkTemplates: z.array(linkTemplateSchema).max(50),
    ...debt,
    favorite: z.boolean(),
    createdAt: timestamp,
    updatedAt: timestamp,
    archivedAt: timestamp.nullable(),
    onboardingStatus: onboardingStatusSchema,
    /** The environments of the project in their order. */
    environments: z.array(
      z.object({
        environment: z.string(),
        defaultStrategy: defaultStrategySchema.optional(),
      }),
    ),
    featureTypeCounts: z.array(z.object({ type: z.string(), count })).max(100),
    /** Windows are the last 30 days and the 30 days before. The time is in days, from creation to the stage live. */
    stats: z.object({
      avgTimeToProdCurrentWindow: z.number(),
      createdCurrentWindow: count,
      createdPastWindow: count,
      archivedCurrentWindow: count,
      archivedPastWindow: count,
    }),
  })
  .meta({
    examples: [
      {
        ...{ name: 'Shop', description: null, mode: 'open', defaultStickiness: 'default', featureLimit: null },
        ...{ featureNaming: { pattern: null }, linkTemplates: [], health: 80, technicalDebt: 20, favorite: true },
        ...{ createdAt: '2026-01-31T12:00:00.000Z', updatedAt: '2026-01-31T12:00:00.000Z', archivedAt: null },
        ...{ onboardingStatus: { status: 'onboarded' }, environments: [{ environment: 'development' }] },
        ...{ featureTypeCounts: [{ type: 'release', count: 10 }], stats: statsExample },
      },
    ],
  });

export type ProjectOverview = z.infer<typeof projectOverviewSchema>;

export const getProjectOverview = request({
  name: 'flags.project.overview',
  writes: false,
  summary: 'A project with its settings, environments and numbers of flags',
  input: z.object({ projectId: z.string() }),
  output: projectOverviewSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

const stage = z.object({
  /** The time that flags have been or were in the stage; null if none was. */
  averageDays: z.number().nullable(),
  currentFlags: count,
});

export const getProjectStatus = request({
  name: 'flags.project.status',
  writes: false,
  summary: 'How many flags of a project are in which stage, how long they stay there, and how many are stale',
  input: z.object({ projectId: z.string() }),
  output: z
    .object({
      segments: count,
      health: z.object({ current: count }),
      technicalDebt: z.object({ current: count }),
      lifecycleSummary: z.object({
        ...{ initial: stage, preLive: stage, live: stage, completed: stage },
        archived: z.object({ currentFlags: count, last30Days: count }),
      }),
      staleFlags: z.object({ total: count }),
    })
    .meta({
      examples: [
        {
          ...{ segments: 2, health: { current: 80 }, technicalDebt: { current: 20 }, staleFlags: { total: 2 } },
          lifecycleSummary: {
            initial: { averageDays: 2.5, currentFlags: 4 },
            preLive: { averageDays: 3, currentFlags: 2 },
            live: { averageDays: 10.5, currentFlags: 4 },
            completed: { averageDays: null, currentFlags: 0 },
            archived: { currentFlags: 3, last30Days: 1 },
          },
        },
      ],
    }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const listFlagCreators = request({
  name: 'flags.project.list-flag-creators',
  writes: false,
  summary: 'Who has created flags that exist, of one project if it is named, by name',
  input: z.object({ projectId: z.string().optional() }),
  output: z.object({
    creators: z
      .array(z.object({ id: z.number().int(), name: z.string() }))
      .meta({ examples: [[{ id: 12, name: 'Ann Bonny' }]] }),
  }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const listOwnFlags = request({
  name: 'flags.feature.list-own',
  writes: false,
  summary: 'The last 100 flags that the caller has created or made a favorite, without archived ones',
  input: z.object({}),
  output: z.object({
    flags: z.array(z.object({ name: z.string(), project: z.string(), type: z.string() })).max(100),
  }),
  permission: 'authenticated',
});
