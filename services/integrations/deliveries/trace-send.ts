import { inSpan, type Tracer } from '@yardarm/shared/telemetry';
import type { SendResult } from '../providers/index.ts';
import type { ClaimedDelivery } from './claims.repo.ts';

/** Sends a delivery within a span, which continues the trace of the change that made the event. */
export function traceSend(
  tracer: Tracer,
  provider: string,
  delivery: ClaimedDelivery,
  send: (delivery: ClaimedDelivery) => Promise<SendResult>,
): Promise<SendResult> {
  const span = tracer.start(`deliver ${provider}`, {
    kind: 'internal',
    parent: delivery.traceparent,
    attributes: {
      ...{ 'yardarm.integration.id': delivery.integrationId, 'yardarm.integration.provider': provider },
      ...{ 'yardarm.event.id': delivery.eventId, 'yardarm.delivery.attempt': delivery.attempt },
    },
  });
  return inSpan(tracer, span, async () => {
    const result = await send({ ...delivery, traceparent: span.traceparent });
    const { state, next, status, errorCode } = result;
    span.set({ 'yardarm.delivery.state': state, 'yardarm.delivery.next': next });
    if (state === 'failed') span.fail(errorCode ?? (status === null ? 'no-answer' : String(status)));
    return result;
  });
}
