import { eventLabel, eventTypes } from '@yardarm/shared/contracts/events/event-text';

const typesOf = Map.groupBy(eventTypes, eventLabel);

/** Every type of the log and its label, by label. Where types share one, it has the type beside it. */
export const shownTypes = eventTypes
  .map((type): [string, string] => {
    const label = eventLabel(type);
    return [type, typesOf.get(label)!.length === 1 ? label : `${label} (${type})`];
  })
  .sort(([, a], [, b]) => a.localeCompare(b));
