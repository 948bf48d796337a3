import { can } from '@yardarm/shared/auth';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { countAccounts } from '@yardarm/shared/contracts/accounts';
import {
  getLifecycleTrends,
  listProjects,
  listWeeklyTrends,
  type ProjectSummary,
  weeklyTrendsSchema,
} from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { contractRoutes } from '../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../routing/route.ts';
import { example } from './projects/project-stats.ts';

const count = z.number().int().min(0);
const date = z.iso.datetime();
const flagTrendSchema = z.object({ date, total: count, active: count, stale: count, potentiallyStale: count });

const moment = { date: '2026-01-31T12:00:00.000Z' };
const flagsExample = { ...moment, total: 10, active: 9, stale: 1, potentiallyStale: 1 };

/** Trends of numbers have one point, the present: earlier numbers are not kept. */
const insightsSchema = weeklyTrendsSchema.extend({
  /** Only for administrators. Active users have logged in within 90 days. */
  userTrends: z.array(z.object({ date, total: count, active: count, inactive: count })),
  flagTrends: z.array(flagTrendSchema),
  projectFlagTrends: z.array(
    flagTrendSchema.extend({ week: z.string(), project: z.string(), health: count, technicalDebt: count }),
  ),
  /** Changes are not counted by the type of their environment. */
  environmentTypeTrends: z.array(z.unknown()).max(0),
});

const separated = { description: 'Names of projects, separated by commas; without it, all projects count' };

/** No name means all, as the UI sends it. */
function namesOf(text = ''): string[] | undefined {
  return text === '' ? undefined : text.split(',');
}

/** What the page of the public product for all projects together shows. */
export function insightRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Instance Admin' });
  return [
    route({
      method: 'get',
      path: '/api/admin/insights',
      operationId: 'getInstanceInsights',
      answerName: 'instanceInsightsSchema',
      ...ofContract(listWeeklyTrends),
      summary: 'How many users and flags there are, and what happened in each week of a period',
      tag: 'Instance Admin',
      audience: 'admin',
      query: listWeeklyTrends.input,
      answer: {
        status: 200,
        schema: insightsSchema.meta({
          examples: [
            {
              ...example(weeklyTrendsSchema),
              userTrends: [{ ...moment, total: 8, active: 7, inactive: 1 }],
              flagTrends: [flagsExample],
              projectFlagTrends: [
                { ...flagsExample, week: '2026-05', project: 'default', health: 80, technicalDebt: 20 },
              ],
              environmentTypeTrends: [],
            },
          ],
        }),
      },
      async handle({ query, context }) {
        const [weeks, { projects }, userTrends] = await Promise.all([
          bus.request(listWeeklyTrends, query, context),
          bus.request(listProjects, {}, context),
          readUsers(bus, context),
        ]);
        const now = new Date();
        const ofProjects = projects.map((project) => ({
          ...{ week: weekOf(now), project: project.id, ...flagTrend(now, [project]) },
          ...{ health: project.health, technicalDebt: project.technicalDebt },
        }));
        const flagTrends = [flagTrend(now, projects)];
        const body = { ...weeks, userTrends, flagTrends, projectFlagTrends: ofProjects, environmentTypeTrends: [] };
        return { status: 200, body };
      },
    }),
    admin.get('/api/admin/insights/lifecycle', 'getLifecycleTrends', getLifecycleTrends, {
      answerName: 'lifecycleTrendsSchema',
      query: z.object({ projects: z.string().optional().transform(namesOf).meta(separated) }),
    }),
  ];
}

async function readUsers(bus: Bus, context: RequestContext): Promise<z.infer<typeof insightsSchema>['userTrends']> {
  if (!can(context.actor!, 'ADMIN')) return [];
  const { users: total, activeUsers } = await bus.request(countAccounts, {}, context);
  const active = activeUsers.last90;
  return [{ date: new Date().toISOString(), total, active, inactive: total - active }];
}

function flagTrend(now: Date, projects: readonly ProjectSummary[]): z.infer<typeof flagTrendSchema> {
  const sum = (numberOf: (project: ProjectSummary) => number) =>
    projects.reduce((total, project) => total + numberOf(project), 0);
  const [total, stale] = [sum((project) => project.featureCount), sum((project) => project.staleFeatureCount)];
  const potentiallyStale = sum((project) => project.potentiallyStaleFeatureCount);
  return { date: now.toISOString(), total, active: total - stale, stale, potentiallyStale };
}

/** The week of ISO 8601: its year is that of its Thursday. */
function weekOf(day: Date): string {
  const thursday = new Date(day.getTime() + (4 - (day.getUTCDay() || 7)) * 86_400_000);
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * 86_400_000)) + 1;
  return `${year}-${String(week).padStart(2, '0')}`;
}
