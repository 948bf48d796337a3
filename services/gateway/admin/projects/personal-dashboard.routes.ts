import { createHash } from 'node:crypto';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { getProfile, listAdmins, listOwnRoles } from '@yardarm/shared/contracts/accounts';
import { type Event, eventMarkdown, findEvents } from '@yardarm/shared/contracts/events';
import { listOwnFlags, listProjects, type ProjectSummary } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { z } from 'zod';
import { type Route, route } from '../../routing/route.ts';
import { dashboardSchema, projectDetailsSchema } from './personal-dashboard.ts';
import { accessByProject } from './project-access.ts';

const path = '/api/admin/personal-dashboard';
const tag = 'Projects';

/** As many as the public product shows. */
const maxEvents = 10;

/** What concerns the caller. `baseUrl` begins the links in summaries of events. */
export function personalDashboardRoutes(bus: Bus, baseUrl: string): Route[] {
  return [
    route({
      method: 'get',
      path,
      operationId: 'getPersonalDashboard',
      answerName: 'personalDashboardSchema',
      summary: "The caller's projects and flags, and whom to ask for more",
      tag,
      audience: 'admin',
      answer: { status: 200, schema: dashboardSchema },
      errors: [],
      async handle({ context }) {
        const [ids, { flags }, { admins }] = await Promise.all([
          ownProjects(bus, context),
          bus.request(listOwnFlags, {}, context),
          bus.request(listAdmins, {}, context),
        ]);
        const [{ projects }, accessOf] = await Promise.all([
          bus.request(listProjects, { ...(ids && { ids }) }, context),
          accessByProject(bus, null, context),
        ]);
        const owners = projects.flatMap(({ id }) => accessOf(id).owners.filter((owner) => owner.ownerType === 'user'));
        return {
          status: 200,
          body: {
            projects: projects.map(({ id, name, health, technicalDebt, featureCount }) => ({
              ...{ id, name, health, technicalDebt, featureCount, memberCount: accessOf(id).members },
            })),
            flags,
            projectOwners: [...new Map(owners.map((owner) => [JSON.stringify(owner), owner])).values()],
            admins: admins.map(({ accountType: _, ...admin }) => admin),
          },
        };
      },
    }),
    route({
      method: 'get',
      path: `${path}/:projectId`,
      operationId: 'getPersonalDashboardProjectDetails',
      answerName: 'personalDashboardProjectDetailsSchema',
      summary: "A project on the caller's dashboard: its owners and newest events, and the caller's roles there",
      tag,
      audience: 'admin',
      params: z.object({ projectId: z.string() }),
      answer: { status: 200, schema: projectDetailsSchema },
      errors: ['not-found'],
      async handle({ params: { projectId }, context }) {
        const { projects } = await bus.request(listProjects, { ids: [projectId] }, context);
        const [project] = projects;
        if (project === undefined)
          throw new AppError('not-found', `Could not find the project with ID ${redactValue(projectId, [])}.`);
        const filters = { projects: [projectId], limit: maxEvents };
        const [accessOf, { roles }, { events }] = await Promise.all([
          accessByProject(bus, [projectId], context),
          bus.request(listOwnRoles, { projectId }, context),
          bus.request(findEvents, filters, context),
        ]);
        return {
          status: 200,
          body: {
            latestEvents: events.map((event) => shortEvent(event, baseUrl)),
            onboardingStatus: project.onboardingStatus,
            insights: insightsOf(project),
            owners: accessOf(projectId).owners,
            roles: roles
              .filter(({ type }) => type === 'project' || type === 'custom')
              .map(({ id, name, type }) => ({ id, name, type })),
          },
        };
      },
    }),
  ];
}

/** The projects in which the caller has a role; undefined for all. */
async function ownProjects(bus: Bus, context: RequestContext): Promise<string[] | undefined> {
  return (await bus.request(getProfile, {}, context)).projects ?? undefined;
}

function shortEvent(event: Event, baseUrl: string) {
  const { id, createdAt, createdBy } = event;
  const hash = createHash('sha256').update(createdBy).digest('hex');
  const createdByImageUrl = `https://gravatar.com/avatar/${hash}?s=42&d=retro&r=g`;
  return { id, createdAt, createdBy, createdByImageUrl, summary: eventMarkdown(event, baseUrl) };
}

/** No history of the numbers is stored, so there is no average of a window. */
function insightsOf(project: ProjectSummary) {
  const { featureCount, staleFeatureCount, potentiallyStaleFeatureCount, health, technicalDebt } = project;
  return {
    ...{ avgHealthCurrentWindow: null, avgHealthPastWindow: null, health, technicalDebt },
    totalFlags: featureCount,
    activeFlags: featureCount - staleFeatureCount - potentiallyStaleFeatureCount,
    staleFlags: staleFeatureCount,
    potentiallyStaleFlags: potentiallyStaleFeatureCount,
  };
}
