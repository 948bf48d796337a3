import type { Event, PublishedEvent } from '@yardarm/shared/contracts/events';

/** An event as the log holds it, as far as clients see it. */
export interface LoggedEvent {
  id: number;
  type: string;
  created_at: Date;
  created_by: string;
  created_by_user_id: number | null;
  environment: string | null;
  project: string | null;
  feature_name: string | null;
  data: Record<string, unknown> | null;
  pre_data: Record<string, unknown> | null;
  tags: { type: string; value: string }[];
}

/** The columns of the same. */
export const eventColumns = [
  ...(['id', 'type', 'created_at', 'created_by', 'created_by_user_id', 'environment', 'project'] as const),
  ...(['feature_name', 'data', 'pre_data', 'tags'] as const),
] satisfies (keyof LoggedEvent)[];

/**
 * The event as clients see it; what is inside alone (event id, request, the creator's e-mail) stays there. The chain's hashes are made
 * over this: an answer that shows an event otherwise could not be held against them.
 */
export function toEvent(row: LoggedEvent): Event {
  return {
    id: row.id,
    createdAt: row.created_at.toISOString(),
    type: row.type as Event['type'],
    createdBy: row.created_by,
    createdByUserId: row.created_by_user_id,
    environment: row.environment,
    project: row.project,
    featureName: row.feature_name,
    data: row.data,
    preData: row.pre_data,
    tags: row.tags,
  };
}

/**
 * Between the searchable parts of an event, so that a search finds nothing that begins in one part and ends in the next.
 * Neither it nor NUL, which Postgres cannot store in a text, occurs inside a part or a query: both are shown as U+FFFD there.
 */
const separator = '\u001f';
const unsearchable = new RegExp(`[\\u0000${separator}]`, 'g');

/**
 * The form in which texts are compared: without case. Lower case alone is not enough, since it depends on the neighbour in
 * one place: a Greek capital sigma at the end of a word becomes another letter than inside it.
 */
function folded(text: string): string {
  return text.toWellFormed().replace(unsearchable, '\ufffd').toLowerCase().replaceAll('ς', 'σ');
}

/**
 * What free text searches in an event: its type, its creator's username and e-mail, its data as JSON, and those texts of the
 * data that JSON writes otherwise than a person types them (quotation marks, backslashes, line ends). Verification holds what the log has
 * against it: whoever changes it makes the log's texts anew.
 */
export function searchTextOf(
  event: Pick<PublishedEvent, 'createdBy' | 'createdByUsername' | 'data'> & { type: string },
): string {
  // createdBy is the e-mail, or the username of somebody without one.
  const parts = [event.type, ...new Set([event.createdBy, event.createdByUsername])];
  if (event.data !== null) parts.push(JSON.stringify(event.data), ...textsWithEscapes(event.data));
  return parts.map(folded).join(separator);
}

function textsWithEscapes(value: unknown): string[] {
  const found = new Set<string>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') {
      if (JSON.stringify(next).length !== next.length + 2) found.add(next);
    } else if (Array.isArray(next)) {
      for (const element of next) waiting.push(element);
    } else if (typeof next === 'object' && next !== null) {
      for (const [key, element] of Object.entries(next)) waiting.push(key, element);
    }
  }
  return [...found];
}

/** The LIKE pattern that finds the query anywhere, every character of it standing for itself; null for no query. */
export function searchPattern(query: string | undefined): string | null {
  if (query === undefined || query === '') return null;
  return `%${folded(query).replace(/[\\%_]/g, '\\$&')}%`;
}

/** A counter kept at recording: how many events the log holds in all, of a type, of a project, of a flag. */
export interface Counter {
  kind: 'total' | 'type' | 'project' | 'feature';
  name: string;
}
