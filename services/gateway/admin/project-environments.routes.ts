import type { Bus } from '@yardarm/shared/bus';
import { countApiTokens } from '@yardarm/shared/contracts/accounts';
import {
  addProjectEnvironment,
  configureChangeRequests,
  environmentExample,
  listProjectEnvironments,
  projectEnvironmentSchema,
  removeProjectEnvironment,
  setDefaultStrategy,
} from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { ownProperty } from '../own-property.ts';
import { strategyBody } from '../routing/body-bounds.ts';
import { contractRoutes } from '../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../routing/route.ts';

const path = '/api/admin/projects/:projectId/environments';

const environmentsOfProject = z.object({
  version: z.literal(1),
  environments: z.array(
    projectEnvironmentSchema.extend({ projectApiTokenCount: z.number().int() }).meta({
      examples: [{ ...environmentExample, projectEnabledToggleCount: 7, visible: true, projectApiTokenCount: 3 }],
    }),
  ),
});

const configurations = z
  .array(
    z.object({
      environment: z.string(),
      type: z.string(),
      changeRequestEnabled: z.literal(false),
      requiredApprovals: z.null(),
    }),
  )
  .meta({
    examples: [
      [{ environment: 'production', type: 'production', changeRequestEnabled: false, requiredApprovals: null }],
    ],
  });

export function projectEnvironmentRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag: 'Projects' });
  return [
    route({
      method: 'get',
      path: '/api/admin/environments/project/:projectId',
      operationId: 'getProjectEnvironments',
      answerName: 'environmentsProjectSchema',
      ...ofContract(listProjectEnvironments),
      tag: 'Environments',
      audience: 'admin',
      params: z.object({ projectId: z.string() }),
      answer: { status: 200, schema: environmentsOfProject },
      async handle({ params: { projectId }, context }) {
        const [{ environments }, { counts }] = await Promise.all([
          bus.request(listProjectEnvironments, { projectId }, context),
          bus.request(countApiTokens, { projectId }, context),
        ]);
        const counted = environments.map((each) => ({
          ...each,
          projectApiTokenCount: ownProperty(counts, each.name) ?? 0,
        }));
        return { status: 200, body: { version: 1, environments: counted } };
      },
    }),
    // The Terraform provider reads here which environments a project has.
    route({
      method: 'get',
      path: '/api/admin/projects/:projectId/change-requests/config',
      operationId: 'getProjectChangeRequestConfig',
      answerName: 'changeRequestConfigSchema',
      ...ofContract(listProjectEnvironments),
      summary: 'The environments of a project, none of which has change requests',
      tag: 'Change Requests',
      audience: 'admin',
      params: z.object({ projectId: z.string() }),
      answer: { status: 200, schema: configurations },
      async handle({ params: { projectId }, context }) {
        const { environments } = await bus
          .request(listProjectEnvironments, { projectId }, context)
          .catch((error: unknown) => {
            // The admin UI asks for a project of the name "Project" while a new one has no name.
            if (error instanceof AppError && error.code === 'not-found') return { environments: [] };
            throw error;
          });
        const body = environments
          .filter(({ visible }) => visible)
          .map(({ name, type }) => ({
            ...{ environment: name, type, changeRequestEnabled: false as const, requiredApprovals: null },
          }));
        return { status: 200, body };
      },
    }),
    // Each changes all flags of the project.
    admin.post(path, 'addEnvironmentToProject', addProjectEnvironment, {
      bodyName: 'projectEnvironmentSchema',
      isLong: true,
    }),
    admin.delete(`${path}/:environment`, 'removeEnvironmentFromProject', removeProjectEnvironment, { isLong: true }),
    admin.put(
      `${path}/:environment/change-requests/config`,
      'updateProjectChangeRequestConfig',
      configureChangeRequests,
      { bodyName: 'updateChangeRequestEnvironmentConfigSchema', status: 204 },
    ),
    admin.post(`${path}/:environment/default-strategy`, 'addDefaultStrategyToProjectEnvironment', setDefaultStrategy, {
      ...strategyBody,
      bodyName: 'createFeatureStrategySchema',
      bodyField: 'strategy',
    }),
  ];
}
