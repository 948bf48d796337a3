import type { Bus } from '@yardarm/shared/bus';
import {
  type AcceptedSignal,
  acceptedSignalSchema,
  admitSignal,
  signalPayloadSchema,
} from '@yardarm/shared/contracts/signals';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { type Route, route } from '../http/route.ts';

/**
 * POST /api/signal-endpoint/{name}: publishes a signal and answers after its acknowledgement. Only a request that has
 * passed every other check uses an admission of the endpoint's rate.
 */
export function callSignalEndpointRoute(bus: Bus, payloadLimitBytes: number): Route {
  return route({
    method: 'post',
    path: '/api/signal-endpoint/:name',
    operationId: 'callSignalEndpoint',
    summary: 'Sends a signal; the answer comes after it is stored',
    tag: 'Signals',
    audience: 'signal',
    params: z.object({ name: z.string() }),
    body: signalPayloadSchema.optional(),
    bodyLimitBytes: payloadLimitBytes,
    answer: { status: 200, schema: z.object({ signals: z.array(acceptedSignalSchema) }) },
    errors: ['not-found', 'content-too-large', 'content-type', 'rate-limited', 'unavailable'],
    async handle({ body, sender, context }) {
      if (!sender) throw new Error('a signal route was called without a sender');
      const admission = await bus.request(admitSignal, { endpointId: sender.endpointId }, context);
      if (!admission.admitted) {
        throw new AppError(
          'rate-limited',
          'This signal endpoint has received as many signals as it accepts per second. Try again later.',
          {
            retryAfterSeconds: Math.ceil(admission.retryAfterMs / 1000),
          },
        );
      }
      const signal: AcceptedSignal = {
        id: admission.id,
        source: 'signal-endpoint',
        sourceId: sender.endpointId,
        createdBySourceTokenId: sender.tokenId,
        createdAt: new Date().toISOString(),
        payload: body ?? null,
      };
      await bus.publish(`signal.${sender.endpointId}`, signal, {
        msgId: `signal-${signal.id}`,
        traceparent: context.traceparent,
      });
      return { status: 200, body: { signals: [signal] } };
    },
  });
}
