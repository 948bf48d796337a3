import type { Bus } from '@yardarm/shared/bus';
import {
  acceptedSignalSchema,
  type PublishedSignal,
  signalMessageId,
  signalPayloadSchema,
} from '@yardarm/shared/contracts/signals';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { calledSignals } from '../metrics.ts';
import { type Reply, type Route, route, type SignalSender } from '../routing/route.ts';
import { SignalAdmissions } from './signal-admissions.ts';
import { claimOf, payloadText } from './signal-body.ts';

/**
 * POST /api/signal-endpoint/{name}: publishes a signal and answers after its acknowledgement. Only a request that has
 * passed every other check uses an admission of the endpoint's rate. Beyond the rate its body is not looked at. With
 * admissions in memory the acknowledgement is all that it waits for.
 */
export function callSignalEndpointRoute(bus: Bus, payloadLimitBytes: number): Route {
  const admissions = new SignalAdmissions(bus);
  return route({
    method: 'post',
    path: '/api/signal-endpoint/:name',
    operationId: 'callSignalEndpoint',
    summary: 'Sends a signal; the answer comes after it is stored',
    tag: 'Signals',
    audience: 'signal',
    params: z.object({ name: z.string() }),
    headers: {
      'idempotency-key':
        'A text of 1 to 255 printable characters. Within 24 hours the same text of the same token is the same signal',
    },
    body: signalPayloadSchema.optional(),
    readsBytes: true,
    bodyLimitBytes: payloadLimitBytes,
    answer: { status: 200, schema: z.object({ signals: z.array(acceptedSignalSchema) }) },
    errors: [
      'validation',
      'not-found',
      'content-too-large',
      'content-type',
      'unprocessable',
      'rate-limited',
      'unavailable',
    ],
    async handle({ bytes, sender, context, header }) {
      if (!sender) throw new Error('a signal route was called without a sender');
      const key = header('idempotency-key');
      const refusal = admissions.refusal(sender, key);
      if (refusal) {
        calledSignals.inc({ outcome: 'refused' });
        throw refusal;
      }
      const text = payloadText(bytes);
      const claim = claimOf(key, bytes);
      try {
        const { id, createdAt } = await admissions.admit(sender, claim, context);
        const signal = toSignal(sender, id, new Date(createdAt).toISOString());
        const message: PublishedSignal = { ...signal, payloadText: text };
        await bus.publish(`signal.${sender.endpointId}`, message, {
          msgId: signalMessageId(id),
          traceparent: context.traceparent,
        });
        calledSignals.inc({ outcome: 'accepted' });
        return signalReply(`{"signals":[${withPayload(signal, text)}]}`);
      } catch (error) {
        calledSignals.inc({
          outcome: error instanceof AppError && error.code === 'rate-limited' ? 'refused' : 'failed',
        });
        throw error;
      }
    },
  });
}

/** A signal without its payload. */
export function toSignal({ endpointId, tokenId }: SignalSender, id: number, createdAt: string) {
  return {
    id,
    source: 'signal-endpoint' as const,
    sourceId: endpointId,
    createdBySourceTokenId: tokenId,
    createdAt,
  };
}

/** The signal as JSON, with the payload as it was sent. */
export function withPayload(signal: ReturnType<typeof toSignal>, text: string): string {
  return `${JSON.stringify(signal).slice(0, -1)},"payload":${text}}`;
}

export function signalReply(json: string): Reply {
  return { status: 200, body: Buffer.from(json), headers: { 'content-type': 'application/json; charset=utf-8' } };
}
