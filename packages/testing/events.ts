import { randomUUIDv7 } from 'node:crypto';
import type { PublishedEvent } from '@yardarm/shared/contracts/events';

/** An event as an outbox publishes it. */
export function publishedEvent(changes: Partial<PublishedEvent> = {}): PublishedEvent {
  return {
    eventId: randomUUIDv7(),
    version: 1,
    source: 'flags',
    type: 'feature-created',
    createdAt: new Date().toISOString(),
    createdBy: 'ada',
    createdByUserId: 1,
    createdByUsername: 'ada',
    environment: null,
    project: 'default',
    featureName: 'checkout',
    data: null,
    preData: null,
    tags: [],
    requestId: null,
    traceparent: null,
    ...changes,
  };
}
