import { randomUUID } from 'node:crypto';
import type { RequestContext } from '@yardarm/shared/bus';
import { newTraceparent } from '@yardarm/shared/telemetry';

/** The context of a request to a service that the gateway makes for itself. It has no actor. */
export function systemContext(timeoutMs: number): RequestContext {
  return { requestId: randomUUID(), actor: null, deadline: Date.now() + timeoutMs, traceparent: newTraceparent() };
}
