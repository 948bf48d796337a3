import { eventLabel, eventTypes } from '@yardarm/shared/contracts/events/event-text';

/** Every type of the log and its label, by label. */
export const shownTypes = eventTypes
  .map((type): [string, string] => [type, eventLabel(type)])
  .sort(([, a], [, b]) => a.localeCompare(b));
