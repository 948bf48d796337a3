import { z } from 'zod';
import { type EventType, eventTypes } from './event-sentences.ts';

export { type EventType, eventTypes };

export const eventTypeSchema = z.enum(eventTypes);

const ofPeople =
  /^(user|role|group|service-account|pat|api-token|public-signup-token|setting|project-(access|user|group))-/;

/** Event types of users, roles and tokens. They contain e-mails and permissions, which not every user may see. */
export const eventTypesOfPeople: readonly EventType[] = eventTypes.filter((type) => ofPeople.test(type));

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
