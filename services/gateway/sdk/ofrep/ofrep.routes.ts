import type { Context } from '@yardarm/evaluation';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { makeTicket } from '../../auth/tickets.ts';
import { contextBody } from '../../routing/body-bounds.ts';
import { type Route, route } from '../../routing/route.ts';
import { scopeOfToken } from '../client/filters.ts';
import { completeContext } from '../frontend/context.ts';
import { evaluateFlag, evaluateFlags } from '../frontend/evaluated-flags.ts';
import { TextForm } from '../frontend/evaluated-text.ts';
import { hashedReply } from '../frontend/hashed-reply.ts';
import { currentPosition, relateEventId } from '../snapshots/positions.ts';
import { snapshotOf } from '../snapshots/snapshot-of.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import { ofrepErrorFields } from './error-fields.ts';
import { eventStreamOf, eventStreamSchema } from './events.routes.ts';
import { toOfrepEvaluation } from './value.ts';

const bodySchema = z
  .object({
    context: z
      .looseObject({ targetingKey: z.unknown().optional().describe('The user id') })
      .default({})
      .describe('The fields of the context, beside each other'),
  })
  .default({ context: {} });

const evaluationSchema = z
  .object({
    key: z.string(),
    reason: z.enum(['DISABLED', 'DEFAULT', 'SPLIT', 'TARGETING_MATCH']),
    variant: z.string().optional(),
    value: z.unknown().optional().describe('Absent: the application uses its default'),
  })
  .meta({ examples: [{ key: 'new-checkout', reason: 'SPLIT', variant: 'blue', value: true }] });

/**
 * The OpenFeature Remote Evaluation Protocol 0.3 (https://github.com/open-feature/protocol). `publicPath` is what
 * proxies have in front of the paths.
 */
export function ofrepRoutes(snapshots: Snapshots, publicPath: string): Route[] {
  return [
    route({
      method: 'post',
      path: '/ofrep/v1/evaluate/flags/:key',
      operationId: 'evaluateFlag',
      summary: 'The value of one flag for a context',
      tag: 'OFREP',
      audience: 'evaluation',
      params: z.object({ key: z.string() }),
      body: bodySchema,
      ...contextBody,
      answer: { status: 200, schema: evaluationSchema },
      errors: ['not-found', 'unprocessable', 'rate-limited', 'unavailable'],
      errorFields: ofrepErrorFields,
      async handle({ params: { key }, body, token, address, context: { deadline } }) {
        const context = toContext(body.context, token!, address);
        const request = { token: token!, context, deadline };
        const evaluated = await evaluateFlag(await snapshotOf(snapshots, token!), key, request);
        if (!evaluated) throw new AppError('not-found', `Could not find the flag "${key.slice(0, 100)}".`);
        return { status: 200, body: toOfrepEvaluation(evaluated) };
      },
    }),
    route({
      method: 'post',
      path: '/ofrep/v1/evaluate/flags',
      operationId: 'evaluateFlags',
      summary: 'The values of all flags for a context',
      tag: 'OFREP',
      audience: 'evaluation',
      headers: { 'If-None-Match': 'The ETag of the answer that the client has: 304 while it is the same' },
      query: z.looseObject({
        flagConfigEtag: z
          .string()
          .optional()
          .catch(undefined)
          .describe('The `etag` of the event that asks for this evaluation'),
      }),
      body: bodySchema,
      ...contextBody,
      answer: {
        status: 200,
        schema: z.object({ flags: z.array(evaluationSchema), eventStreams: z.array(eventStreamSchema) }),
        headers: { etag: 'A hash of the flags and the ticket' },
      },
      errors: ['unprocessable', 'rate-limited', 'unavailable'],
      errorFields: ofrepErrorFields,
      async handle({ query: { flagConfigEtag }, body, token, address, header, context: { deadline } }) {
        const context = toContext(body.context, token!, address);
        const snapshot = await snapshotOf(snapshots, token!);
        const scope = scopeOfToken(token!, 'separate');
        const isAhead = relateEventId(flagConfigEtag, currentPosition(snapshot, scope)).kind === 'ahead';
        // The event came from another gateway. The client asks only once.
        if (isAhead) await snapshots.catchUp(snapshot);
        const text = await evaluateFlags(snapshot, { token: token!, context, deadline }, ofrepFlags);
        const ticket = makeTicket(token!, typeof context.userId === 'string' ? context.userId : '');
        const streams = JSON.stringify([eventStreamOf(publicPath, ticket, currentPosition(snapshot, scope))]);
        // Without the position: most changes leave the flags as they are for most contexts.
        const whole = () => text.bytes(`,"eventStreams":${streams}}`);
        return hashedReply({ hash: text.hash(ticket), isWeak: true, body: whole }, header('if-none-match'));
      },
    }),
  ];
}

/** The answer before the address of the stream. */
const ofrepFlags = new TextForm({
  begin: '{"flags":[',
  end: ']',
  write: (flag, evaluation) => JSON.stringify(toOfrepEvaluation({ flag, evaluation })),
});

/** OpenFeature has one flat context. The targeting key identifies the user, also beside a field `userId`. */
function toContext({ targetingKey, ...fields }: Context, token: ResolvedToken, address: string): Context {
  return completeContext({ ...fields, userId: targetingKey ?? fields.userId }, token, address);
}
