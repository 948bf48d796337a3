import { eventLabel, eventText, plainText } from '@yardarm/shared/contracts/events';
import { renderBodyTemplate } from '../body-template.ts';
import type { Publication } from '../provider.ts';

/** New Relic's limit on the value of an attribute, "Limits and restricted characters" of the Event API. */
const maxAttributeLength = 4_096;

/**
 * A custom event: a flat object of texts and numbers whose names NRQL does not reserve. It includes the event's id,
 * because New Relic stores an event that is sent twice as two.
 */
export function newRelicBody(publication: Publication, baseUrl: string | null): string {
  const { parameters, event } = publication;
  if (parameters.bodyTemplate)
    return renderBodyTemplate(parameters.bodyTemplate, publication, { isJson: true, baseUrl });
  const attributes = {
    eventType: 'UnleashServiceEvent',
    unleashEventId: event.id,
    unleashEventType: event.type,
    label: eventLabel(event.type),
    summary: plainText(eventText(event)),
    timestamp: Date.parse(event.createdAt),
    createdBy: event.createdBy,
    createdByUserId: event.createdByUserId,
    featureName: event.featureName,
    project: event.project,
    environment: event.environment,
    data: asText(event.data),
    preData: asText(event.preData),
    newRelicTags: event.tags
      .filter(({ type }) => type === 'new-relic')
      .map(({ value }) => value)
      .join(),
  };
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(attributes)
        .filter(([, value]) => value !== null && value !== '')
        .map(([name, value]) => [name, typeof value === 'string' ? truncated(value) : value]),
    ),
  );
}

function asText(data: Record<string, unknown> | null): string | null {
  return data === null ? null : JSON.stringify(data);
}

function truncated(value: string): string {
  return value.slice(0, maxAttributeLength).toWellFormed();
}
