import type { Bus } from '@yardarm/shared/bus';
import { countEventsByDay } from '@yardarm/shared/contracts/events';
import {
  getProjectOverview,
  getProjectStatus,
  listProjects,
  projectOverviewSchema,
  projectSummarySchema,
} from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { ofContract, type Route, route } from '../../routing/route.ts';
import { accessByProject, ownerSchema } from './project-access.ts';
import { example, projectStatsSchema, readWithStats } from './project-stats.ts';

const path = '/api/admin/projects';
const tag = 'Projects';
const count = z.number().int().min(0);
const params = z.object({ projectId: z.string() });

export const listedProjectSchema = projectSummarySchema
  .extend({ memberCount: count, owners: z.array(ownerSchema) })
  .meta({
    id: 'projectSchema',
    examples: [{ ...example(projectSummarySchema), memberCount: 1, owners: [{ ownerType: 'system' }] }],
  });

const projectsSchema = z.object({ version: z.literal(1), projects: z.array(listedProjectSchema) });

const overviewSchema = projectOverviewSchema
  .extend({ version: z.literal(1), members: count, stats: projectStatsSchema })
  .meta({ examples: [overviewExample()] });

const { segments: _, ...statusShape } = getProjectStatus.output.shape;

const statusSchema = z
  .object({
    ...statusShape,
    activityCountByDate: countEventsByDay.output.shape.days,
    resources: z.object({ members: count, apiTokens: count, segments: count }),
  })
  .meta({ examples: [statusExample()] });

/** These answers join what flags, accounts and events know of a project. */
export function projectViewRoutes(bus: Bus): Route[] {
  return [
    route({
      method: 'get',
      path,
      operationId: 'getProjects',
      answerName: 'projectsSchema',
      ...ofContract(listProjects),
      tag,
      audience: 'admin',
      query: z.object({ archived: z.enum(['true', 'false']).optional() }),
      answer: { status: 200, schema: projectsSchema },
      async handle({ query, context }) {
        const [{ projects }, accessOf] = await Promise.all([
          bus.request(listProjects, { archived: query.archived === 'true' }, context),
          accessByProject(bus, null, context),
        ]);
        const listed = projects.map((project) => {
          const { members, owners } = accessOf(project.id);
          return { ...project, memberCount: members, owners };
        });
        return { status: 200, body: { version: 1, projects: listed } };
      },
    }),
    route({
      method: 'get',
      path: `${path}/:projectId/overview`,
      operationId: 'getProjectOverview',
      answerName: 'projectOverviewSchema',
      ...ofContract(getProjectOverview),
      tag,
      audience: 'admin',
      params,
      answer: { status: 200, schema: overviewSchema },
      async handle({ params: { projectId }, context }) {
        const reading = bus.request(getProjectOverview, { projectId }, context);
        const { project, members, stats } = await readWithStats(bus, projectId, reading, context);
        return { status: 200, body: { version: 1, ...project, members, stats } };
      },
    }),
    route({
      method: 'get',
      path: `${path}/:projectId/status`,
      operationId: 'getProjectStatus',
      answerName: 'projectStatusSchema',
      ...ofContract(getProjectStatus),
      tag,
      audience: 'admin',
      params,
      answer: { status: 200, schema: statusSchema },
      async handle({ params: { projectId }, context }) {
        const [{ segments, ...status }, accessOf, activity] = await Promise.all([
          bus.request(getProjectStatus, { projectId }, context),
          accessByProject(bus, [projectId], context),
          bus.request(countEventsByDay, { project: projectId }, context),
        ]);
        const { directMembers, apiTokens } = accessOf(projectId);
        const resources = { members: directMembers, apiTokens, segments };
        return { status: 200, body: { resources, activityCountByDate: activity.days, ...status } };
      },
    }),
  ];
}

function overviewExample() {
  const overview = example(projectOverviewSchema);
  return { version: 1, ...overview, members: 3, stats: example(projectStatsSchema) };
}

function statusExample() {
  const { segments, ...status } = example(getProjectStatus.output);
  return {
    resources: { members: 3, apiTokens: 1, segments },
    activityCountByDate: [{ date: '2026-01-31', count: 12 }],
    ...status,
  };
}
