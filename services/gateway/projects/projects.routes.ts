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
import { contractRoutes } from '../http/contract-routes.ts';
import type { Route } from '../http/route.ts';
import { personalDashboardRoutes } from './personal-dashboard.routes.ts';
import { projectViewRoutes } from './project-views.routes.ts';

const path = '/api/admin/projects';

/** `baseUrl` begins the links in summaries of events. */
export function projectRoutes(bus: Bus, baseUrl: string): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Projects' });
  return [
    ...projectViewRoutes(bus),
    admin.post(path, 'createProject', createProject, { creates: 'project' }),
    admin.post(`${path}/validate`, 'validateProject', validateProject),
    admin.put(`${path}/:projectId`, 'updateProject', updateProject),
    admin.put(`${path}/:projectId/settings`, 'updateProjectEnterpriseSettings', updateProjectSettings),
    admin.delete(`${path}/:projectId`, 'deleteProject', deleteProject),
    admin.post(`${path}/archive/:projectId`, 'archiveProject', archiveProject),
    admin.post(`${path}/revive/:projectId`, 'reviveProject', reviveProject),
    admin.get(`${path}/:projectId/flag-creators`, 'getProjectFlagCreators', listFlagCreators, {
      answerField: 'creators',
    }),
    admin.post(`${path}/:projectId/favorites`, 'addFavoriteProject', addFavoriteProject),
    admin.delete(`${path}/:projectId/favorites`, 'removeFavoriteProject', removeFavoriteProject),
    ...personalDashboardRoutes(bus, baseUrl),
  ];
}
