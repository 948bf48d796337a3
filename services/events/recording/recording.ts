import { type PublishedEvent, publishedEventSchema } from '@yardarm/shared/contracts/events';
import { describeIssues } from '@yardarm/shared/errors';
import type { Counter, LoggedEvent } from '../events/event.ts';

/** What recording needs of a message of EVENTS. */
export interface Message {
  sequence: number;
  subject: string;
  msgId: string | null;
  payload: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** A message that is no event, set aside with its reason: it is not lost, and what comes behind it goes on. */
export interface DeadLetter {
  message: Message;
  reason: string;
}

/** An event with the id that the log gives it. */
export interface Entry {
  id: number;
  event: PublishedEvent;
}

/** Tells the events of a batch from what is none, both in stream order. */
export function readMessages(messages: readonly Message[]): { events: PublishedEvent[]; deadLetters: DeadLetter[] } {
  const events: PublishedEvent[] = [];
  const deadLetters: DeadLetter[] = [];
  for (const message of messages) {
    const parsed = publishedEventSchema.safeParse(message.payload);
    if (parsed.success) events.push(asKept(parsed.data));
    else deadLetters.push({ message, reason: reasonOf(describeIssues(parsed.error.issues, message.payload)) });
  }
  return { events, deadLetters };
}

/**
 * The event as Postgres gives it back: time in milliseconds, and in texts no half of a surrogate pair. What is chained and relayed is
 * then what a reader of the log sees, to the letter. In data and tags, which are kept as JSON text, such a half stays.
 */
function asKept(event: PublishedEvent): PublishedEvent {
  return {
    ...event,
    createdAt: new Date(event.createdAt).toISOString(),
    createdBy: event.createdBy.toWellFormed(),
    createdByUsername: event.createdByUsername.toWellFormed(),
    environment: event.environment?.toWellFormed() ?? null,
    project: event.project?.toWellFormed() ?? null,
    featureName: event.featureName?.toWellFormed() ?? null,
  };
}

/** A reason is read by a person: the first few faults say what kind of message it was. */
const formatFaults = 5;

function reasonOf(faults: readonly { message: string }[]): string {
  const shown = faults.slice(0, formatFaults).map(({ message }) => message);
  if (faults.length > formatFaults) shown.push(`And ${faults.length - formatFaults} more.`);
  return shown.join(' ');
}

/**
 * Gives the events that the log has not seen the ids after `lastId`, rising by one in stream order. `unseen` holds their
 * event ids; of an event that stands in the batch twice the first is taken.
 */
export function numberEvents(events: readonly PublishedEvent[], unseen: ReadonlySet<string>, lastId: number): Entry[] {
  const left = new Set(unseen);
  const entries: Entry[] = [];
  for (const event of events) {
    if (left.delete(event.eventId.toLowerCase())) entries.push({ id: lastId + entries.length + 1, event });
  }
  return entries;
}

/** The entry as a reader of the log gets it. */
export function loggedEvent({ id, event }: Entry): LoggedEvent {
  return {
    id,
    type: event.type,
    created_at: new Date(event.createdAt),
    created_by: event.createdBy,
    created_by_user_id: event.createdByUserId,
    environment: event.environment,
    project: event.project,
    feature_name: event.featureName,
    data: event.data,
    pre_data: event.preData,
    tags: event.tags,
  };
}

/** By how much each counter rises with these entries. */
export function countsOf(entries: readonly Entry[]): (Counter & { count: number })[] {
  const counts = new Map<string, Counter & { count: number }>();
  const count = (kind: Counter['kind'], name: string | null): void => {
    if (name === null) return;
    const key = `${kind} ${name}`;
    const counter = counts.get(key) ?? { kind, name, count: 0 };
    counter.count += 1;
    counts.set(key, counter);
  };
  for (const { event } of entries) {
    count('total', '');
    count('type', event.type);
    count('project', event.project);
    count('feature', event.featureName);
  }
  return [...counts.values()];
}
