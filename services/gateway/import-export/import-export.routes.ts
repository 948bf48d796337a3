import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { exportFeatures, importFeatures, validateImport } from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { requestWhole } from '../http/wire.ts';
import { sentDocument } from './send-document.ts';

const path = '/api/admin/features-batch';
const tag = 'Import/Export';

/** flags checks the whole document. The gateway would only do it again, and SDKs would wait for it. */
const documentSchema = z
  .looseObject({
    project: z.string(),
    environment: z.string(),
    data: z.looseObject({ features: z.array(z.unknown()) }),
  })
  .meta({
    examples: [
      {
        ...{ project: 'default', environment: 'production' },
        data: {
          features: [{ name: 'checkout', type: 'release' }],
          featureStrategies: [{ featureName: 'checkout', name: 'flexibleRollout', parameters: { rollout: '50' } }],
          featureEnvironments: [{ featureName: 'checkout', enabled: true }],
          featureTags: [{ featureName: 'checkout', tagType: 'simple', tagValue: 'payments' }],
        },
      },
    ],
  });

/** Exports and imports flags. `bodyLimitBytes` is the largest document of an import. */
export function importExportRoutes(bus: Bus, bodyLimitBytes: number): Route[] {
  const send = async (document: unknown, context: RequestContext) => ({
    document: await sentDocument(bus, JSON.stringify(document), context),
  });
  return [
    route({
      method: 'post',
      path: `${path}/export`,
      operationId: 'exportFeatures',
      ...ofContract(exportFeatures),
      tag,
      audience: 'admin',
      body: exportFeatures.input,
      answer: { status: 200, schema: exportFeatures.output },
      async handle({ body, context }) {
        const exported = await requestWhole(bus, exportFeatures, body, context);
        const headers = { 'content-disposition': 'attachment; filename="export.json"' };
        return { status: 200, body: exported, ...(body.downloadFile && { headers }) };
      },
    }),
    route({
      method: 'post',
      path: `${path}/validate`,
      operationId: 'validateImport',
      ...ofContract(validateImport),
      ...{ tag, audience: 'admin', body: documentSchema, bodyLimitBytes },
      answer: { status: 200, schema: validateImport.output },
      handle: async ({ body, context }) => ({
        status: 200,
        body: await requestWhole(bus, validateImport, await send(body, context), context),
      }),
    }),
    route({
      method: 'post',
      path: `${path}/import`,
      operationId: 'importToggles',
      ...ofContract(importFeatures),
      ...{ tag, audience: 'admin', body: documentSchema, bodyLimitBytes },
      answer: { status: 200 },
      async handle({ body, context }) {
        await bus.request(importFeatures, await send(body, context), context);
        return { status: 200 };
      },
    }),
  ];
}
