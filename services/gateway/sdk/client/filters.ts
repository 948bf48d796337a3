import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';
import { featureFilters, maxTags, oneOrMany } from '../../routing/feature-filters.ts';
import { Scope, type SegmentFormat } from '../snapshots/scope.ts';

/** SDKs name one project. A server that needs more has a token of these projects, or of all. */
const maxProjects = 100;

const projects = oneOrMany(z.string()).refine(
  (list = []) => list.length <= maxProjects,
  `should be at most ${maxProjects} projects`,
);

/** The filters of listings, deltas and streams. SDKs repeat `tag`; `tag[]` is the older form of the same. */
export const filtersQuery = z
  .object({
    project: projects.describe('Only flags of these projects of the token'),
    ...featureFilters,
    'tag[]': featureFilters.tag.describe('The same as `tag`'),
  })
  .refine(({ tag = [], 'tag[]': older = [] }) => tag.length + older.length <= maxTags, {
    path: ['tag'],
    error: `should be at most ${maxTags} tags, with those of tag[]`,
  });

export type Filters = z.output<typeof filtersQuery>;

/** A cached token has one array of projects, and most SDKs filter nothing. */
const unfiltered = new WeakMap<readonly string[], Partial<Record<SegmentFormat, Scope>>>();

export function scopeOfToken(token: ResolvedToken, segmentFormat: SegmentFormat): Scope {
  const { projects } = token;
  const scopes = unfiltered.get(projects) ?? {};
  scopes[segmentFormat] ??= new Scope({ environment: token.environment ?? '', projects, segmentFormat });
  unfiltered.set(projects, scopes);
  return scopes[segmentFormat];
}

/** Whether the filters select less than what a token may read. Each poll asks it, so it makes no list of the tags. */
export function isFiltered({ project, namePrefix, tag: tags, 'tag[]': older }: Filters): boolean {
  return project !== undefined || Boolean(namePrefix) || Boolean(tags?.length) || Boolean(older?.length);
}

/** What the filters select of what a token may read. */
export function filteredScope(token: ResolvedToken, filters: Filters, segmentFormat: SegmentFormat): Scope {
  if (!isFiltered(filters)) return scopeOfToken(token, segmentFormat);
  const { project, namePrefix } = filters;
  const all = [...(filters.tag ?? []), ...(filters['tag[]'] ?? [])];
  const mayRead = (id: string) => token.projects.includes('*') || token.projects.includes(id);
  const projects = project === undefined ? token.projects : project.filter(mayRead);
  return new Scope({
    environment: token.environment ?? '',
    projects,
    namePrefix,
    tags: all,
    segmentFormat,
    isFiltered: true,
  });
}
