import type { Bus } from '@yardarm/shared/bus';
import { countApiTokens } from '@yardarm/shared/contracts/accounts';
import {
  cloneEnvironment,
  createEnvironment,
  deleteEnvironment,
  enableEnvironment,
  environmentExample,
  getEnvironment,
  listEnvironments,
  listedEnvironmentSchema,
  sortEnvironments,
  updateEnvironment,
  validateEnvironmentName,
} from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { ownProperty } from '../own-property.ts';
import { contractRoutes } from '../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../routing/route.ts';

const path = '/api/admin/environments';
const tag = 'Environments';

const everyEnvironment = z.object({
  version: z.literal(1),
  environments: z.array(
    listedEnvironmentSchema.extend({ apiTokenCount: z.number().int() }).meta({
      examples: [{ ...environmentExample, projectCount: 2, enabledToggleCount: 7, apiTokenCount: 3 }],
    }),
  ),
});

export function environmentRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, { audience: 'admin', tag });
  return [
    route({
      method: 'get',
      path,
      operationId: 'getAllEnvironments',
      answerName: 'environmentsSchema',
      ...ofContract(listEnvironments),
      summary: 'All environments in their order, with the numbers of projects, SDK tokens and flags that are on',
      tag,
      audience: 'admin',
      answer: { status: 200, schema: everyEnvironment },
      async handle({ context }) {
        const [{ environments }, { counts }] = await Promise.all([
          bus.request(listEnvironments, {}, context),
          bus.request(countApiTokens, {}, context),
        ]);
        const counted = environments.map((each) => ({ ...each, apiTokenCount: ownProperty(counts, each.name) ?? 0 }));
        return { status: 200, body: { version: 1, environments: counted } };
      },
    }),
    admin.post(path, 'createEnvironment', createEnvironment, {
      creates: {
        description: 'The path of the environment',
        location: ({ name }) => `${path}/${encodeURIComponent(name)}`,
      },
    }),
    admin.post(`${path}/validate`, 'validateEnvironmentName', validateEnvironmentName),
    admin.put(`${path}/sort-order`, 'updateSortOrder', sortEnvironments, {
      bodyName: 'sortOrderSchema',
      bodyField: 'sortOrders',
    }),
    admin.put(`${path}/update/:name`, 'updateEnvironment', updateEnvironment),
    admin.get(`${path}/:name`, 'getEnvironment', getEnvironment),
    admin.delete(`${path}/:name`, 'removeEnvironment', deleteEnvironment),
    admin.post(`${path}/:name/on`, 'toggleEnvironmentOn', enableEnvironment, {
      summary: 'Projects can add the environment',
      fixed: { enabled: true },
      status: 204,
    }),
    admin.post(`${path}/:name/off`, 'toggleEnvironmentOff', enableEnvironment, {
      summary: 'Projects cannot add the environment; those that have it keep it',
      fixed: { enabled: false },
      status: 204,
    }),
    admin.post(`${path}/:name/clone`, 'cloneEnvironment', cloneEnvironment, { bodyField: 'clone' }),
  ];
}
