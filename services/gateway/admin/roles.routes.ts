import type { Bus } from '@yardarm/shared/bus';
import { permissionNames, permissions } from '@yardarm/shared/contracts';
import {
  createRole,
  deleteRole,
  getAccessOverview,
  getRole,
  listedPermission,
  listedPermissionSchema,
  listRoles,
  roleDefinitionSchema,
  roleSchema,
  updateRole,
  validateRole,
} from '@yardarm/shared/contracts/accounts';
import { listEnvironmentNames } from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { contractRoutes } from '../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../routing/route.ts';
import { idOf } from '../routing/wire.ts';
import { accessOverviewCsv } from './access-overview-csv.ts';

const path = '/api/admin/roles';
const ofRole = z.object({ roleId: z.string() });
const tag = 'Roles';
const noun = 'role';

const example = {
  id: 101,
  type: 'custom' as const,
  name: 'Release manager',
  description: 'Switches flags on in production.',
  project: null,
};
/** The public product calls the field `roles`, although it is one role. */
const oneRole = z
  .object({ version: z.literal(1), roles: roleSchema })
  .meta({ examples: [{ version: 1, roles: example }] });

const everyRole = z
  .object({ version: z.literal(1), roles: z.array(roleSchema) })
  .meta({ examples: [{ version: 1, roles: [example] }] });

const everyPermission = z
  .object({
    version: z.literal(2),
    permissions: z.object({
      root: z.array(listedPermissionSchema),
      project: z.array(listedPermissionSchema),
      environments: z.array(z.object({ name: z.string(), permissions: z.array(listedPermissionSchema) })),
    }),
  })
  .meta({
    examples: [
      {
        version: 2,
        permissions: {
          root: [listedPermission('CREATE_PROJECT')],
          project: [listedPermission('UPDATE_FEATURE')],
          environments: [
            { name: 'production', permissions: [listedPermission('UPDATE_FEATURE_ENVIRONMENT', 'production')] },
          ],
        },
      },
    ],
  });

export function roleRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag, params: { roleId: { noun } } });
  return [
    admin.get(path, 'getRoles', listRoles, { answerName: 'rolesWithVersionSchema', version: 1, answer: everyRole }),
    route({
      method: 'post',
      path,
      operationId: 'createRole',
      bodyName: 'createRoleWithPermissionsSchema',
      ...ofContract(createRole),
      tag,
      audience: 'admin',
      body: roleDefinitionSchema,
      answer: { status: 200, schema: oneRole },
      handle: async ({ body, context }) => ({
        status: 200,
        body: { version: 1, roles: await bus.request(createRole, body, context) },
      }),
    }),
    admin.post(`${path}/validate`, 'validateRole', validateRole),
    admin.get(`${path}/:roleId`, 'getRoleById', getRole),
    route({
      method: 'put',
      path: `${path}/:roleId`,
      operationId: 'updateRole',
      ...ofContract(updateRole),
      tag,
      audience: 'admin',
      params: ofRole,
      body: updateRole.input
        .omit({ roleId: true })
        .meta({ examples: [{ name: 'Release manager', description: 'Switches flags on in every environment.' }] }),
      answer: { status: 200, schema: oneRole },
      handle: async ({ params, body, context }) => ({
        status: 200,
        body: {
          version: 1,
          roles: await bus.request(updateRole, { ...body, roleId: idOf(params.roleId, noun) }, context),
        },
      }),
    }),
    admin.delete(`${path}/:roleId`, 'deleteRole', deleteRole),
    route({
      method: 'get',
      path: '/api/admin/permissions',
      operationId: 'getPermissions',
      answerName: 'adminPermissionsSchema',
      summary: 'Every permission that a role can have; those per environment are listed for each environment',
      tag,
      audience: 'admin',
      answer: { status: 200, schema: everyPermission },
      errors: listEnvironmentNames.errors,
      async handle({ context }) {
        const { environments } = await bus.request(listEnvironmentNames, {}, context);
        const ofScope = (scope: 'root' | 'project' | 'environment', environment: string | null = null) =>
          permissionNames
            .filter((name) => permissions[name].scope === scope)
            .map((name) => listedPermission(name, environment));
        const listed = {
          root: ofScope('root'),
          project: ofScope('project'),
          environments: environments.map((name) => ({ name, permissions: ofScope('environment', name) })),
        };
        return { status: 200, body: { version: 2, permissions: listed } };
      },
    }),
    route({
      method: 'get',
      path: '/api/admin/access/overview',
      operationId: 'getAccessOverview',
      ...ofContract(getAccessOverview),
      summary: `${getAccessOverview.summary}; as CSV where the accept header asks for text/csv`,
      tag,
      audience: 'admin',
      answer: { status: 200, schema: getAccessOverview.output },
      async handle({ context, header }) {
        const { overview } = await bus.request(getAccessOverview, {}, context);
        const headers = { vary: 'accept' };
        if (!prefersCsv(header('accept'))) return { status: 200, body: { overview }, headers };
        const disposition = 'attachment; filename="access-overview.csv"';
        return {
          status: 200,
          body: Buffer.from(accessOverviewCsv(overview)),
          headers: { ...headers, 'content-type': 'text/csv; charset=utf-8', 'content-disposition': disposition },
        };
      },
    }),
  ];
}

/** Whether the header names CSV, and does not name JSON before it. */
function prefersCsv(accept = ''): boolean {
  const [first] = /text\/csv|application\/json/i.exec(accept) ?? [];
  return first?.toLowerCase() === 'text/csv';
}
