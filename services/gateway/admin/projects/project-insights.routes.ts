import type { Bus, RequestContext } from '@yardarm/shared/bus';
import {
  featureSchema,
  flagCountsSchema,
  getProjectHealth,
  listFeatures,
  listReleases,
  projectOverviewSchema,
} from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { ofContract, type Route, route } from '../../routing/route.ts';
import { leadTimeSchema, readLeadTime } from './lead-time.ts';
import { example, projectStatsSchema, readWithStats } from './project-stats.ts';

const path = '/api/admin/projects/:projectId';
const count = z.number().int().min(0);
const params = z.object({ projectId: z.string() });
const rated = flagCountsSchema.extend({ rating: count.max(100) });

const insightsSchema = z
  .object({
    stats: projectStatsSchema,
    featureTypeCounts: projectOverviewSchema.shape.featureTypeCounts,
    /** The rest of 100 of `technicalDebt`. */
    health: rated,
    technicalDebt: rated,
    leadTime: leadTimeSchema,
    /** `change` is the number of members that came in the last 30 days. */
    members: z.object({ currentMembers: count, change: count }),
  })
  .meta({
    examples: [
      {
        stats: example(projectStatsSchema),
        featureTypeCounts: [{ type: 'release', count: 10 }],
        health: { rating: 80, ...example(flagCountsSchema) },
        technicalDebt: { rating: 20, ...example(flagCountsSchema) },
        leadTime: example(leadTimeSchema),
        members: { currentMembers: 3, change: 1 },
      },
    ],
  });

/** Only what the public product answers of the overview. */
const reportedSchema = projectOverviewSchema.pick({
  ...({ name: true, description: true, mode: true, defaultStickiness: true, featureLimit: true } as const),
  ...({ featureNaming: true, health: true, technicalDebt: true, favorite: true } as const),
  ...({ createdAt: true, updatedAt: true } as const),
});

const reportSchema = reportedSchema
  .extend({
    ...{ version: z.literal(1), members: count, stats: projectStatsSchema, ...flagCountsSchema.shape },
    environments: projectOverviewSchema.shape.environments,
    features: z.array(featureSchema),
  })
  .meta({
    examples: [
      {
        ...reportedSchema.parse(example(projectOverviewSchema)),
        ...{ version: 1, members: 3, stats: example(projectStatsSchema), ...example(flagCountsSchema) },
        ...{ environments: [{ environment: 'production' }], features: [example(featureSchema)] },
      },
    ],
  });

/** How a project is doing: these answers join what flags, accounts and events know of it. */
export function projectInsightRoutes(bus: Bus): Route[] {
  async function read(projectId: string, context: RequestContext) {
    const reading = bus.request(getProjectHealth, { projectId }, context);
    const read = await readWithStats(bus, projectId, reading, context);
    const { activeCount, potentiallyStaleCount, staleCount } = read.project;
    return { ...read, counts: { activeCount, potentiallyStaleCount, staleCount } };
  }

  return [
    route({
      method: 'get',
      path: `${path}/insights`,
      operationId: 'getProjectInsights',
      answerName: 'projectInsightsSchema',
      ...ofContract(getProjectHealth),
      summary: 'How a project is doing: its changes, stale flags, members, and the days from a new flag to production',
      tag: 'Projects',
      audience: 'admin',
      params,
      answer: { status: 200, schema: insightsSchema },
      async handle({ params: { projectId }, context }) {
        const [{ project, members, addedMembers, stats, counts }, leadTime] = await Promise.all([
          read(projectId, context),
          readLeadTime(bus, projectId, context),
        ]);
        const body = {
          stats,
          featureTypeCounts: project.featureTypeCounts,
          health: { rating: project.health, ...counts },
          technicalDebt: { rating: project.technicalDebt, ...counts },
          leadTime,
          members: { currentMembers: members, change: addedMembers },
        };
        return { status: 200, body };
      },
    }),
    route({
      method: 'get',
      path: `${path}/health-report`,
      operationId: 'getProjectHealthReport',
      answerName: 'healthReportSchema',
      ...ofContract(getProjectHealth),
      summary: 'A project with its flags, and how many of them are stale',
      tag: 'Projects',
      audience: 'admin',
      params,
      answer: { status: 200, schema: reportSchema },
      async handle({ params: { projectId }, context }) {
        const { project, members, stats, counts } = await read(projectId, context);
        const { environments } = project;
        const head = { version: 1, ...reportedSchema.parse(project), members, stats, environments, ...counts };
        // The flags of a large project have tens of megabytes, so they are sent as they arrive.
        const pieces = bus.requestItems(listFeatures, { projectId }, context);
        return {
          status: 200,
          list: { head: `${JSON.stringify(head).slice(0, -1)},"features":[`, pieces, tail: ']}' },
        };
      },
    }),
    route({
      method: 'get',
      path: `${path}/dora`,
      operationId: 'getProjectDora',
      answerName: 'projectDoraMetricsSchema',
      ...ofContract(listReleases),
      summary: 'The days from the creation of each flag of a project to its first switch in production',
      tag: 'Projects',
      audience: 'admin',
      params,
      answer: { status: 200, schema: leadTimeSchema },
      handle: async ({ params: { projectId }, context }) => ({
        status: 200,
        body: await readLeadTime(bus, projectId, context),
      }),
    }),
  ];
}
