import type { Context } from '@yardarm/evaluation';
import { z } from 'zod';
import { contextBody } from '../../routing/body-bounds.ts';
import { type Call, type Route, route } from '../../routing/route.ts';
import { snapshotOf } from '../snapshots/snapshot-of.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import { completeContext, contextOfQuery, contextQuery, contextSchema } from './context.ts';
import { evaluateFlags } from './evaluated-flags.ts';
import { TextForm } from './evaluated-text.ts';
import { hashedReply } from './hashed-reply.ts';

const variantSchema = z.object({
  name: z.string(),
  enabled: z.boolean(),
  payload: z.object({ type: z.string(), value: z.string() }).optional(),
  feature_enabled: z.boolean(),
  featureEnabled: z.boolean().describe('The older name of `feature_enabled`'),
});

const toggleSchema = z.object({
  name: z.string(),
  enabled: z.literal(true),
  impressionData: z.boolean(),
  variant: variantSchema,
});

type Toggle = z.output<typeof toggleSchema>;

const answerSchema = z.object({ toggles: z.array(toggleSchema) }).meta({
  examples: [
    {
      toggles: [
        {
          name: 'new-checkout',
          enabled: true,
          impressionData: false,
          variant: { name: 'blue', enabled: true, feature_enabled: true, featureEnabled: true },
        },
      ],
    },
  ],
});

/** The evaluated flags for browsers and apps, which get only the ones that are on. */
export function frontendRoutes(snapshots: Snapshots): Route[] {
  async function reply(
    { token, address, header, context: { deadline } }: Call<unknown, unknown, unknown>,
    sent: Context,
  ) {
    const context = completeContext(sent, token!, address);
    const request = { token: token!, context, deadline };
    const text = await evaluateFlags(await snapshotOf(snapshots, token!), request, toggles);
    return hashedReply({ hash: text.hash(), body: () => text.bytes() }, header('if-none-match'));
  }

  const common = {
    path: '/api/frontend',
    tag: 'Frontend API',
    audience: 'frontend',
    headers: { 'If-None-Match': 'The ETag of the answer that the client has: 304 while it is the same' },
    answer: { status: 200, schema: answerSchema, headers: { etag: 'A hash of the answer' } },
    errors: ['unprocessable', 'rate-limited', 'unavailable'],
  } as const;

  return [
    route({
      ...common,
      method: 'get',
      operationId: 'getFrontendFeatures',
      summary: 'The flags that are on for the context in the query',
      query: contextQuery,
      handle: (call) => reply(call, contextOfQuery(call.query)),
    }),
    route({
      ...common,
      ...contextBody,
      method: 'post',
      operationId: 'getFrontendApiFeaturesWithPost',
      summary: 'The flags that are on for the context in the body',
      body: z.object({ context: contextSchema.default({}) }).default({ context: {} }),
      handle: (call) => reply(call, call.body.context),
    }),
  ];
}

/** The answer. A flag that is off is not in it. */
const toggles = new TextForm({
  begin: '{"toggles":[',
  end: ']}',
  write({ name, impressionData }, { enabled, variant }) {
    return enabled ? JSON.stringify({ name, enabled, impressionData, variant } satisfies Toggle) : '';
  },
});
