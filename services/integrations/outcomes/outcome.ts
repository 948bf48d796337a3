import type { IntegrationEvent } from '@yardarm/shared/contracts/integrations';
import { AppError } from '@yardarm/shared/errors';

export interface StoredOutcome extends Omit<IntegrationEvent, 'createdAt' | 'event' | 'details'> {
  createdAt: Date;
  /** The event that was delivered, as the text of JSON. */
  event: string;
  /** JSON text; without the body if it equals the event. */
  details: string;
  isBodyEvent: boolean;
}

export function toIntegrationEvent(stored: StoredOutcome): IntegrationEvent {
  const { createdAt, event, details, isBodyEvent, ...outcome } = stored;
  return {
    ...outcome,
    createdAt: createdAt.toISOString(),
    event: JSON.parse(event),
    details: { ...JSON.parse(details), ...(isBodyEvent && { body: event }) },
  };
}

export function outcomeNotFound(id: string): AppError {
  return new AppError('not-found', `Could not find an integration event with id ${id.slice(0, 100)}.`);
}
