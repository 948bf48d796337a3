import type { Bus } from '@yardarm/shared/bus';
import { exportFeatures, importFeatures, validateImport } from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { joinedLists } from '../routing/joined-lists.ts';
import { ofContract, type Route, route } from '../routing/route.ts';
import { sendDocument } from './send-document.ts';

const path = '/api/admin/features-batch';
const tag = 'Import/Export';

/** Documents the body. flags parses and checks it, because SDKs would wait for a gateway that does. */
const documentSchema = z
  .strictObject({
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

/** In the order in which flags sends them. */
const exportedLists = exportFeatures.output.keyof().options;

/** Exports and imports flags. `bodyLimitBytes` is the largest document of an import. */
export function importExportRoutes(bus: Bus, bodyLimitBytes: number): Route[] {
  const body = { body: documentSchema, bodyLimitBytes, readsChunks: true } as const;
  return [
    route({
      method: 'post',
      path: `${path}/export`,
      operationId: 'exportFeatures',
      bodyName: 'exportQuerySchema',
      answerName: 'exportResultSchema',
      ...ofContract(exportFeatures),
      tag,
      audience: 'admin',
      body: exportFeatures.input,
      answer: { status: 200, schema: exportFeatures.output },
      handle({ body, context }) {
        // 20 MB at once would occupy this gateway for half a second.
        const pieces = joinedLists(exportedLists, bus.requestParts(exportFeatures, body, context));
        const headers = { 'content-disposition': 'attachment; filename="export.json"' };
        return { status: 200, list: { head: '{', pieces, tail: '}' }, ...(body.downloadFile && { headers }) };
      },
    }),
    route({
      method: 'post',
      path: `${path}/validate`,
      operationId: 'validateImport',
      bodyName: 'importTogglesSchema',
      answerName: 'importTogglesValidateSchema',
      ...ofContract(validateImport),
      ...{ tag, audience: 'admin', ...body },
      answer: { status: 200, schema: validateImport.output },
      async handle({ readChunks, context }) {
        const document = await sendDocument(bus, readChunks, context);
        return { status: 200, body: await bus.request(validateImport, { document }, context) };
      },
    }),
    route({
      method: 'post',
      path: `${path}/import`,
      operationId: 'importToggles',
      bodyName: 'importTogglesSchema',
      ...ofContract(importFeatures),
      ...{ tag, audience: 'admin', ...body },
      answer: { status: 200 },
      async handle({ readChunks, context }) {
        const document = await sendDocument(bus, readChunks, context);
        await bus.request(importFeatures, { document }, context);
        return { status: 200 };
      },
    }),
  ];
}
