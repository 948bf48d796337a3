import type { FeatureFilters } from '../api/queries.ts';
import { textsOf } from '../app/texts-of.ts';

/** The narrowing of a list of flags, as the address of the page has it. */
export interface FlagSearch {
  /** Words of name, description or tags. */
  q?: string;
  state?: 'active' | 'stale' | 'potentially-stale';
  type?: string;
  tag?: string;
  /** An environment and whether the flag is on there, as in `production:enabled`. */
  status?: string;
  lifecycle?: string;
  /** The id of the user who made the flag. */
  createdBy?: string;
  favorite?: 'true';
  archived?: 'true';
  sortBy?: string;
  sortOrder?: 'asc' | 'desc';
  /** The id of the saved view that was opened. The filters may differ from those that it has. */
  view?: number;
}

const texts = [
  'q',
  'state',
  'type',
  'tag',
  'status',
  'lifecycle',
  'createdBy',
  'favorite',
  'archived',
  'sortBy',
  'sortOrder',
] as const;

/** Takes what it knows from an address. Anything else is left out, so that an old link still opens. */
export function parseFlagSearch(search: Record<string, unknown>): FlagSearch {
  const { view } = search;
  return { ...textsOf(search, texts), ...(typeof view === 'number' && { view }) } as FlagSearch;
}

/** As the API's search takes it. */
export function toFilters(
  { q, state, type, tag, lifecycle, createdBy, favorite, archived, view: _, ...rest }: FlagSearch,
  project?: string,
): FeatureFilters {
  const is = (value: string | undefined) => (value === undefined ? undefined : `IS:${value}`);
  return {
    ...rest,
    query: q || undefined,
    project: is(project),
    state: is(state),
    type: is(type),
    lifecycle: is(lifecycle),
    createdBy: is(createdBy),
    favorite: is(favorite),
    archived: is(archived),
    tag: tag === undefined ? undefined : `INCLUDE:${tag}`,
  };
}
