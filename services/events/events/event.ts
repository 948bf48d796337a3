import type { Event, PublishedEvent } from '@yardarm/shared/contracts/events';

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

export const eventColumns = [
  ...(['id', 'type', 'created_at', 'created_by', 'created_by_user_id', 'environment', 'project'] as const),
  ...(['feature_name', 'data', 'pre_data', 'tags'] as const),
] satisfies (keyof LoggedEvent)[];

/**
 * The event as clients see it, without internal fields such as event id and request id. The hashes of the chain cover
 * this form, so answers must not show an event differently.
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
 * Separates the searchable parts of an event, so that no match spans two parts. Parts and queries contain neither the
 * separator nor NUL, which Postgres cannot store in a text: `foldCase` replaces both with U+FFFD.
 */
const separator = '\u001f';
const unsearchable = new RegExp(`[\\u0000${separator}]`, 'g');

/**
 * Removes the differences of case. Lower case alone is not enough: a Greek capital sigma becomes another letter at the
 * end of a word than inside it.
 */
function foldCase(text: string): string {
  return text.toWellFormed().replace(unsearchable, '\ufffd').toLowerCase().replaceAll('ς', 'σ');
}

/**
 * The text that free-text searches look at: the event's type, its creator's username and e-mail, its data as JSON, and
 * those texts of the data that JSON escapes (quotation marks, backslashes, line ends). Verification compares the stored
 * text with this one, so a change of this function requires new texts for the whole log.
 */
export function searchTextOf(
  event: Pick<PublishedEvent, 'createdBy' | 'createdByUsername' | 'data'> & { type: string },
): string {
  // createdBy is the e-mail, else the username.
  const parts = [event.type, ...new Set([event.createdBy, event.createdByUsername])];
  if (event.data !== null) parts.push(JSON.stringify(event.data), ...textsWithEscapes(event.data));
  return parts.map(foldCase).join(separator);
}

function textsWithEscapes(value: unknown): string[] {
  const found = new Set<string>();
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') {
      if (JSON.stringify(next).length !== next.length + 2) found.add(next);
    } else if (Array.isArray(next)) {
      for (const element of next) pending.push(element);
    } else if (typeof next === 'object' && next !== null) {
      for (const [key, element] of Object.entries(next)) pending.push(key, element);
    }
  }
  return [...found];
}

/** The LIKE pattern that matches the query anywhere in a text, character by character. Null without a query. */
export function searchPattern(query: string | undefined): string | null {
  if (query === undefined || query === '') return null;
  return `%${foldCase(query).replace(/[\\%_]/g, '\\$&')}%`;
}

/** The key of a counter, which the recorder raises: all events, or those of a type, a project or a flag. */
export interface Counter {
  kind: 'total' | 'type' | 'project' | 'feature';
  name: string;
}
