import type { Bus } from '@yardarm/shared/bus';
import type { RequestContract } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { legalValuesBody } from '../routing/body-bounds.ts';
import { contractRoutes } from '../routing/contract-routes.ts';
import { ofContract, type Route, route } from '../routing/route.ts';

const path = '/api/admin/context';
const projectPath = '/api/admin/projects/:projectId/context';
const tag = 'Context';

const ofProject = z.object({ projectId: z.string() });

const contextFieldsSchema = z.array(contracts.contextFieldSchema).meta({ id: 'contextFieldsSchema' });

const creates = {
  description: 'The path of the new context field',
  location: ({ name }: contracts.ContextField) => `${path}/${encodeURIComponent(name)}`,
};

export function contextRoutes(bus: Bus): Route[] {
  const admin = contractRoutes(bus, {
    ...{ audience: 'admin', tag },
    params: { contextField: { field: 'name' }, legalValue: { field: 'value' } },
  });
  return [
    listRoute(bus, path, 'getContextFields', contracts.listContextFields),
    admin.post(path, 'createContextField', contracts.createContextField, { ...legalValuesBody, creates }),
    admin.post(`${path}/validate`, 'validateContextFieldName', contracts.validateContextField),
    admin.get(`${path}/:contextField`, 'getContextField', contracts.getContextField),
    admin.put(`${path}/:contextField`, 'updateContextField', contracts.updateContextField, legalValuesBody),
    admin.delete(`${path}/:contextField`, 'deleteContextField', contracts.deleteContextField),
    admin.post(`${path}/:contextField/legal-values`, 'updateContextFieldLegalValue', contracts.setLegalValue),
    admin.delete(
      `${path}/:contextField/legal-values/:legalValue`,
      'deleteContextFieldLegalValue',
      contracts.deleteLegalValue,
    ),
    listRoute(bus, projectPath, 'getContextFieldsForProject', contracts.listContextFieldsOfProject, ofProject),
    admin.post(projectPath, 'createContextFieldForProject', contracts.createContextFieldOfProject, {
      ...legalValuesBody,
      creates,
    }),
    admin.post(
      `${projectPath}/validate`,
      'validateContextFieldNameForProject',
      contracts.validateContextFieldOfProject,
    ),
    admin.get(`${projectPath}/:contextField`, 'getContextFieldForProject', contracts.getContextFieldOfProject),
    admin.put(
      `${projectPath}/:contextField`,
      'updateContextFieldForProject',
      contracts.updateContextFieldOfProject,
      legalValuesBody,
    ),
    admin.delete(`${projectPath}/:contextField`, 'deleteContextFieldForProject', contracts.deleteContextFieldOfProject),
    admin.post(
      `${projectPath}/:contextField/legal-values`,
      'updateContextFieldLegalValueForProject',
      contracts.setLegalValueOfProject,
    ),
    admin.delete(
      `${projectPath}/:contextField/legal-values/:legalValue`,
      'deleteContextFieldLegalValueForProject',
      contracts.deleteLegalValueOfProject,
    ),
  ];
}

/** The public product answers with the bare list. */
function listRoute<Input extends z.ZodObject>(
  bus: Bus,
  listPath: string,
  operationId: string,
  contract: RequestContract<Input, typeof contracts.listContextFields.output>,
  params?: z.ZodObject,
): Route {
  return route({
    ...ofContract(contract),
    ...{ method: 'get', path: listPath, operationId, tag, audience: 'admin' },
    params,
    query: contracts.listContextFields.input,
    answer: { status: 200, schema: contextFieldsSchema },
    handle: async ({ params, query, context }) => ({
      status: 200,
      body: (await bus.request(contract, { ...query, ...(params as object) } as z.input<Input>, context)).contextFields,
    }),
  });
}
