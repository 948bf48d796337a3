import type { Context } from '@yardarm/evaluation';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { completeContext } from '../frontend/context.ts';
import { evaluateFlag, evaluateFlags } from '../frontend/evaluated-flags.ts';
import { hashedReply } from '../frontend/hashed-reply.ts';
import { type Route, route } from '../http/route.ts';
import { snapshotOf } from '../snapshots/snapshot-of.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
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

/** The OpenFeature Remote Evaluation Protocol 0.3 (https://github.com/open-feature/protocol). */
export function ofrepRoutes(snapshots: Snapshots): Route[] {
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
      answer: { status: 200, schema: evaluationSchema },
      errors: ['not-found', 'unavailable'],
      errorFields: ofrepErrorFields,
      async handle({ params: { key }, body, token, address }) {
        const context = toContext(body.context, token!, address);
        const evaluated = evaluateFlag(await snapshotOf(snapshots, token!), token!, key, context);
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
      body: bodySchema,
      answer: {
        status: 200,
        schema: z.object({ flags: z.array(evaluationSchema) }),
        headers: { etag: 'A hash of the answer' },
      },
      errors: ['unavailable'],
      errorFields: ofrepErrorFields,
      async handle({ body, token, address, header }) {
        const context = toContext(body.context, token!, address);
        const evaluated = evaluateFlags(await snapshotOf(snapshots, token!), token!, context);
        return hashedReply({ flags: evaluated.map(toOfrepEvaluation) }, header('if-none-match'));
      },
    }),
  ];
}

/** OpenFeature has one flat context, in which the targeting key identifies the user. */
function toContext({ targetingKey, ...fields }: Context, token: ResolvedToken, address: string): Context {
  return completeContext({ userId: targetingKey, ...fields }, token, address);
}

/** OpenFeature has no codes for 401, 403, 429 and 503. */
function ofrepErrorFields(error: AppError, message: string, { key }: Readonly<Record<string, unknown>>): object {
  return { ...(typeof key === 'string' && { key }), errorCode: errorCodeOf(error), errorDetails: message };
}

function errorCodeOf({ code, details = [] }: AppError): string {
  if (code === 'not-found') return 'FLAG_NOT_FOUND';
  if (code !== 'validation') return 'GENERAL';
  // A body that is no JSON has no details.
  return details.length === 0 ? 'PARSE_ERROR' : 'INVALID_CONTEXT';
}
