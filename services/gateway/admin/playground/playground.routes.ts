import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { evaluatePlayground as contract, type PlaygroundEvaluation } from '@yardarm/shared/contracts/flags';
import { refuseUnstorable } from '@yardarm/shared/errors';
import { z } from 'zod';
import { contextBody } from '../../routing/body-bounds.ts';
import { ofContract, type Route, route } from '../../routing/route.ts';
import {
  advancedPlaygroundFeatureSchema,
  advancedPlaygroundFeatures,
  playgroundFeatureSchema,
  playgroundFeatures,
} from './playground-answers.ts';
import { flatContext, sdkContextSchema, shortText, valuesOf } from './playground-context.ts';

const path = '/api/admin/playground';

const projects = z.union([contract.input.shape.projects.unwrap(), z.literal('*')]).optional();
const simple = { environment: z.string(), projects };
const advanced = { environments: contract.input.shape.environments, projects };

const example = { projects: ['default'], context: { appName: 'shop', userId: '7' } };
const ofSimple = { examples: [{ environment: 'production', ...example }] };
const ofAdvanced = { examples: [{ environments: ['development', 'production'], ...example }] };

const simpleInput = z.object({ ...simple, context: sdkContextSchema }).meta(ofSimple);
const advancedInput = z.object({ ...advanced, context: sdkContextSchema }).meta(ofAdvanced);

/** The input in the answer, where the fields of the context are texts. */
const context = z.looseObject({ appName: z.string(), properties: z.record(z.string(), z.string()).nullish() });
const simpleEcho = z.object({ ...simple, context }).meta(ofSimple);
const advancedEcho = z.object({ ...advanced, context }).meta(ofAdvanced);

const warnings = z.object({
  invalidContextProperties: z.array(z.string()).describe('Names in the context whose values are no texts'),
});

/** The evaluation of flags for contexts that an administrator thinks of. */
export function playgroundRoutes(bus: Bus): Route[] {
  const common = {
    ...ofContract(contract),
    ...contextBody,
    method: 'post',
    tag: 'Playground',
    audience: 'admin',
  } as const;
  const ofProjects = ({ projects }: z.output<typeof simpleInput | typeof advancedInput>) =>
    Array.isArray(projects) ? { projects } : {};
  /** flags checks what it sends. A client may take any time over the whole of it, as over a long list. */
  async function* evaluationsOf(asked: z.input<typeof contract.input>, context: RequestContext) {
    for await (const items of bus.requestItems(contract, asked, context)) {
      yield JSON.parse(`[${Buffer.from(items).toString()}]`) as PlaygroundEvaluation[];
    }
  }
  return [
    route({
      ...common,
      path,
      operationId: 'getPlayground',
      bodyName: 'playgroundRequestSchema',
      answerName: 'playgroundResponseSchema',
      summary: 'Evaluates flags in an environment for a context and says why they are on or off',
      body: simpleInput,
      answer: {
        status: 200,
        schema: z.object({ features: z.array(playgroundFeatureSchema), input: simpleEcho }),
      },
      async handle({ body, context }) {
        // flags would name the properties of the request that it gets.
        refuseUnstorable(body);
        const { fields } = flatContext(body.context, { onlyTexts: false });
        const asked = {
          environments: [body.environment],
          ...ofProjects(body),
          fields: Object.fromEntries(fields.map(([name, value]) => [name, [shortText(name, value)]])),
        };
        const pieces = playgroundFeatures(evaluationsOf(asked, context));
        return { status: 200, list: { head: '{"features":[', pieces, tail: `],"input":${JSON.stringify(body)}}` } };
      },
    }),
    route({
      ...common,
      path: `${path}/advanced`,
      operationId: 'getAdvancedPlayground',
      bodyName: 'advancedPlaygroundRequestSchema',
      answerName: 'advancedPlaygroundResponseSchema',
      summary: 'Evaluates flags in environments for every combination of values in a context, which commas separate',
      body: advancedInput,
      answer: {
        status: 200,
        schema: z.object({
          features: z.array(advancedPlaygroundFeatureSchema),
          input: advancedEcho,
          warnings: warnings.optional(),
        }),
      },
      async handle({ body, context }) {
        refuseUnstorable(body);
        const { fields, invalid } = flatContext(body.context, { onlyTexts: true });
        const asked = {
          environments: body.environments,
          ...ofProjects(body),
          fields: Object.fromEntries(fields.map(([name, value]) => [name, valuesOf(name, value)])),
        };
        const pieces = advancedPlaygroundFeatures(evaluationsOf(asked, context));
        const about = { input: body, ...(invalid.length > 0 && { warnings: { invalidContextProperties: invalid } }) };
        return { status: 200, list: { head: '{"features":[', pieces, tail: `],${JSON.stringify(about).slice(1)}` } };
      },
    }),
  ];
}
