import { traceIdOf } from '../telemetry/index.ts';

interface Call {
  requestId: string;
  traceparent: string | null;
  actor: { id: number } | null;
  operation: string;
  durationMs: number;
}

/**
 * What the log says of a call, under the same names in every service: enough to find it in the logs of the others, and
 * no value that was sent. The duration is rounded to a microsecond.
 */
export function callFields({ requestId, traceparent, actor, operation, durationMs }: Call) {
  const rounded = Math.round(durationMs * 1_000) / 1_000;
  return { requestId, traceId: traceIdOf(traceparent), actor: actor?.id ?? null, operation, durationMs: rounded };
}
