import { z } from 'zod';
import { type EventType, eventTypes, eventTypesOfPeople } from './event-sentences.ts';

export { type EventType, eventTypes, eventTypesOfPeople };

export const eventTypeSchema = z.enum(eventTypes);

/**
 * Types that nothing emits, and what is emitted instead. Integrations name them, because the public product offers
 * them: such an integration gets the other type.
 */
export const eventAliases: ReadonlyMap<string, EventType> = new Map([
  ['feature-updated', 'feature-metadata-updated'],
  ['feature-variants-updated', 'feature-environment-variants-updated'],
]);

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
