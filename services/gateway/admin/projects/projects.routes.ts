import type { Bus } from '@yardarm/shared/bus';
import {
  addFavoriteProject,
  archiveProject,
  createProject,
  deleteProject,
  listFlagCreators,
  removeFavoriteProject,
  reviveProject,
  updateProject,
  updateProjectSettings,
  validateProject,
} from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { contractRoutes } from '../../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../../routing/route.ts';
import { pageQuery, wholeNumber } from '../../routing/wire.ts';
import { personalDashboardRoutes } from './personal-dashboard.routes.ts';
import { projectInsightRoutes } from './project-insights.routes.ts';
import { projectViewRoutes } from './project-views.routes.ts';

const path = '/api/admin/projects';

/** `baseUrl` begins the links in summaries of events. */
export function projectRoutes(bus: Bus, baseUrl: string): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Projects' });
  return [
    ...projectViewRoutes(bus),
    ...projectInsightRoutes(bus),
    createProjectRoute(bus),
    admin.post(`${path}/validate`, 'validateProject', validateProject),
    admin.put(`${path}/:projectId`, 'updateProject', updateProject),
    admin.put(`${path}/:projectId/settings`, 'updateProjectEnterpriseSettings', updateProjectSettings),
    admin.delete(`${path}/:projectId`, 'deleteProject', deleteProject),
    admin.post(`${path}/archive/:projectId`, 'archiveProject', archiveProject),
    admin.post(`${path}/revive/:projectId`, 'reviveProject', reviveProject),
    admin.get(`${path}/:projectId/flag-creators`, 'getProjectFlagCreators', listFlagCreators, {
      answerName: 'projectFlagCreatorsSchema',
      answerField: 'creators',
    }),
    admin.post(`${path}/:projectId/favorites`, 'addFavoriteProject', addFavoriteProject),
    admin.delete(`${path}/:projectId/favorites`, 'removeFavoriteProject', removeFavoriteProject),
    flagCreatorsRoute(bus),
    ...personalDashboardRoutes(bus, baseUrl),
  ];
}

/** A project without a description answers without one: the Terraform provider stops at null here. */
function createProjectRoute(bus: Bus): Route {
  return route({
    method: 'post',
    path,
    operationId: 'createProject',
    answerName: 'projectCreatedSchema',
    ...ofContract(createProject),
    tag: 'Projects',
    audience: 'admin',
    body: createProject.input,
    answer: {
      status: 201,
      schema: createProject.output.extend({ description: z.string().optional() }).meta(createProject.output.meta()!),
      headers: { location: 'The path of the new project' },
    },
    async handle({ body, context }) {
      const project = await bus.request(createProject, body, context);
      return {
        status: 201,
        body: { ...project, description: project.description ?? undefined },
        headers: { location: `${path}/${project.id}` },
      };
    },
  });
}

/** Consoles ask for it when they search flags of all projects. */
function flagCreatorsRoute(bus: Bus): Route {
  const { creators } = listFlagCreators.output.shape;
  return route({
    method: 'get',
    path: '/api/admin/flag-creators',
    operationId: 'getFlagCreators',
    ...ofContract(listFlagCreators),
    summary: 'Who has created flags that exist, by name',
    tag: 'Projects',
    audience: 'admin',
    // Consoles ask for 10,000 at once.
    query: pageQuery.extend({ limit: wholeNumber(1, 10_000).default(50) }),
    answer: {
      status: 200,
      schema: z
        .object({ flagCreators: creators, total: z.number().int().min(0) })
        .meta({ examples: [{ flagCreators: [{ id: 12, name: 'Ann Bonny' }], total: 1 }] }),
    },
    errors: [],
    async handle({ query: { limit, offset }, context }) {
      const { creators: all } = await bus.request(listFlagCreators, {}, context);
      return { status: 200, body: { flagCreators: all.slice(offset, offset + limit), total: all.length } };
    },
  });
}
