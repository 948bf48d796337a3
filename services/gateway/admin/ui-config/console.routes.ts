import type { Logger } from '@yardarm/shared/log';
import { z } from 'zod';
import { createRateLimit } from '../../routing/rate-limit.ts';
import { type Route, route } from '../../routing/route.ts';

/** As much of an error as its place in the console needs. */
const maxMessageLength = 1000;
const maxStackLength = 4000;

const feedbackSchema = z
  .object({
    userId: z.number().int(),
    feedbackId: z.string(),
    neverShow: z.boolean(),
    given: z.iso.datetime().nullable(),
  })
  .meta({ examples: [{ userId: 12, feedbackId: 'segments', neverShow: true, given: null }] });

const answered = {
  neverShow: z.boolean().default(false),
  given: z.iso.datetime().nullable().default(null),
};
const feedbackId = z
  .string()
  .max(200)
  .meta({ examples: ['segments'] });
const errorText = z.string().meta({ examples: ['Cannot read properties of undefined'] });

/** Each error is a line of 5 kB in the log. A console with a fault in a page reports some a minute. */
const maxErrorsPerMinute = 30;

export function consoleRoutes(log: Logger): Route[] {
  const errorsPerCaller = createRateLimit(maxErrorsPerMinute);
  const common = { tag: 'Admin UI', audience: 'admin' as const, errors: [] };
  const feedback = { ...common, answer: { status: 200, schema: feedbackSchema } };
  return [
    route({
      ...feedback,
      method: 'post',
      path: '/api/admin/feedback',
      operationId: 'createFeedback',
      summary: 'Answers with what was sent, so that the console closes its question. Yardarm stores no feedback',
      body: z.object({ feedbackId, ...answered }),
      handle: async ({ body, context }) => ({ status: 200, body: { userId: context.actor!.id, ...body } }),
    }),
    route({
      ...feedback,
      method: 'put',
      path: '/api/admin/feedback/:id',
      operationId: 'updateFeedback',
      summary: 'Answers with what was sent, so that the console closes its question. Yardarm stores no feedback',
      params: z.object({ id: z.string() }),
      body: z.object(answered).meta({ examples: [{ neverShow: true, given: null }] }),
      handle: async ({ params, body, context }) => ({
        status: 200,
        body: { userId: context.actor!.id, feedbackId: params.id, ...body },
      }),
    }),
    route({
      ...common,
      method: 'post',
      path: '/api/admin/record-ui-error',
      operationId: 'uiObservability',
      summary: 'Writes an error of the console to the log',
      body: z.object({ errorMessage: errorText, errorStack: errorText.optional() }),
      errors: ['rate-limited'],
      answer: { status: 204 },
      async handle({ body: { errorMessage, errorStack }, context }) {
        errorsPerCaller.use(`user ${context.actor?.id}`);
        const stack = errorStack?.slice(0, maxStackLength);
        const error = { message: errorMessage.slice(0, maxMessageLength), ...(stack && { stack }) };
        log.warn(
          { requestId: context.requestId, userId: context.actor?.id, consoleError: error },
          'error of a console',
        );
        return { status: 204 };
      },
    }),
  ];
}
