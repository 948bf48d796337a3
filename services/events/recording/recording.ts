import { eventSubject, type PublishedEvent, publishedEventSchema } from '@yardarm/shared/contracts/events';
import { describeIssues } from '@yardarm/shared/errors';
import type { ChainedEvent } from '../chain/chain.ts';
import type { Counter } from '../events/event.ts';

export interface Message {
  sequence: number;
  subject: string;
  msgId: string | null;
  payload: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** A message that can never be recorded. It is stored, and later messages are recorded. */
export interface DeadLetter {
  message: Message;
  reason: string;
}

export interface Entry {
  id: number;
  event: PublishedEvent;
  /** By the clock of the recorder, in milliseconds, because the chain covers it. */
  recordedAt: Date;
}

export function readMessages(messages: readonly Message[]): { events: PublishedEvent[]; deadLetters: DeadLetter[] } {
  const events: PublishedEvent[] = [];
  const deadLetters: DeadLetter[] = [];
  for (const message of messages) {
    const parsed = publishedEventSchema.safeParse(message.payload);
    if (!parsed.success) {
      deadLetters.push({ message, reason: reasonOf(describeIssues(parsed.error.issues, message.payload)) });
    } else if (message.subject !== eventSubject(parsed.data)) {
      // NATS decides who may publish under a subject. It does not read the source in the event.
      const { source, type } = parsed.data;
      const reason = `The event says that it is ${type} of ${source}, and was published as ${message.subject}.`;
      deadLetters.push({ message, reason });
    } else events.push(toStoredForm(parsed.data));
  }
  return { events, deadLetters };
}

/**
 * The event as Postgres returns it: times in milliseconds, the event id in lower case, and no half of a surrogate pair
 * in a text. The chain then covers exactly what a reader of the log sees. Data and tags are JSON text and
 * keep such a half.
 */
function toStoredForm(event: PublishedEvent): PublishedEvent {
  return {
    ...event,
    eventId: event.eventId.toLowerCase(),
    createdAt: new Date(event.createdAt).toISOString(),
    createdBy: event.createdBy.toWellFormed(),
    createdByUsername: event.createdByUsername.toWellFormed(),
    environment: event.environment?.toWellFormed() ?? null,
    project: event.project?.toWellFormed() ?? null,
    featureName: event.featureName?.toWellFormed() ?? null,
    requestId: event.requestId?.toWellFormed() ?? null,
    traceparent: event.traceparent?.toWellFormed() ?? null,
  };
}

/** A person reads the reason, and the first few problems show what kind of message it was. */
const maxProblems = 5;

function reasonOf(problems: readonly { message: string }[]): string {
  const texts = problems.slice(0, maxProblems).map(({ message }) => message);
  if (problems.length > maxProblems) texts.push(`And ${problems.length - maxProblems} more.`);
  return texts.join(' ');
}

/**
 * Assigns the ids after `lastId`, without a gap in stream order, to the events whose event ids are in `unseen`. Only
 * the first of two equal event ids gets an id.
 */
export function numberEvents(
  events: readonly PublishedEvent[],
  unseen: ReadonlySet<string>,
  lastId: number,
  recordedAt: Date,
): Entry[] {
  const remaining = new Set(unseen);
  const entries: Entry[] = [];
  for (const event of events) {
    if (remaining.delete(event.eventId.toLowerCase()))
      entries.push({ id: lastId + entries.length + 1, event, recordedAt });
  }
  return entries;
}

export function chainedEvent({ id, event, recordedAt }: Entry): ChainedEvent {
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
    event_id: event.eventId,
    recorded_at: recordedAt,
    version: event.version,
    source: event.source,
    created_by_username: event.createdByUsername,
    request_id: event.requestId,
    traceparent: event.traceparent,
  };
}

/** The increment of each counter for these entries. */
export function countsOf(entries: readonly Pick<Entry, 'event'>[]): (Counter & { count: number })[] {
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
