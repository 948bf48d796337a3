import type { Logger } from '@yardarm/shared/log';
import { z } from 'zod';
import { createRateLimit } from '../../routing/rate-limit.ts';
import { type Route, route } from '../../routing/route.ts';

/** As much of an error as its place in the console needs. */
const maxMessageLength = 1000;
const maxStackLength = 4000;

const errorText = z.string().meta({ examples: ['Cannot read properties of undefined'] });

/** Each error is a line of 5 kB in the log. A console with a fault in a page reports some a minute. */
const maxErrorsPerMinute = 30;

export function consoleRoutes(log: Logger): Route[] {
  const errorsPerCaller = createRateLimit(maxErrorsPerMinute);
  return [
    route({
      method: 'post',
      path: '/api/admin/record-ui-error',
      operationId: 'uiObservability',
      summary: 'Writes an error of the console to the log',
      tag: 'Admin UI',
      audience: 'admin',
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
