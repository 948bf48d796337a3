import { z } from 'zod';
import { type EventType, eventAliases, eventTypes, eventTypesOfPeople } from './event-sentences.ts';

export { type EventType, eventAliases, eventTypes, eventTypesOfPeople };

export const eventTypeSchema = z.enum(eventTypes);

/**
 * The events that end an import, in their order. The log has them after the events of the changes, which have other
 * ordering keys.
 */
export const endOfImport: readonly EventType[] = [
  'feature-import',
  'feature-tag-import',
  'tag-import',
  'tag-type-import',
  'features-imported',
];
