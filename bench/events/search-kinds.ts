import type { findEvents, searchEvents } from '@yardarm/shared/contracts/events';
import type { z } from 'zod';

/** A search of the generated log, by one contract or the other; `nth` makes each repetition ask for something else of the same kind. */
export type SearchKind = { what: string } & (
  | { search(nth: number): z.input<typeof searchEvents.input> }
  | { find(nth: number): z.input<typeof findEvents.input> }
);

/** Row 8: what people look for, each from the newest event on unless it says otherwise. */
export const searchKinds: readonly SearchKind[] = [
  { what: 'no filter', search: () => ({}) },
  { what: 'no filter, from a deep id', search: (nth) => ({ offset: 1_000 + nth }) },
  { what: 'common type', search: () => ({ type: 'feature-strategy-update' }) },
  { what: 'rare type', search: () => ({ type: 'project-created' }) },
  { what: 'type, from a deep id', search: (nth) => ({ type: 'user-created', offset: 9_000 + nth }) },
  { what: 'common project', search: () => ({ project: 'default' }) },
  { what: 'project', search: (nth) => ({ project: `team-${[1, 2, 4, 5, 7, 8][nth % 6]}` }) },
  { what: 'flag', search: (nth) => ({ feature: `flag-${nth % 1_000}` }) },
  { what: 'word of one event in three', search: () => ({ query: 'flexibleRollout' }) },
  {
    what: 'word of one event in three, from a deep id',
    search: (nth) => ({ query: 'flexibleRollout', offset: 5_000 + nth }),
  },
  { what: 'word of one event in six', search: () => ({ query: 'kakaka' }) },
  { what: 'word of one event in thirty-five', search: () => ({ query: 'norlu' }) },
  { what: 'word of one event in three hundred', search: () => ({ query: 'flag-77' }) },
  { what: 'word of one event, each another', search: (nth) => ({ query: `SHOP-${1_000 * nth}` }) },
  { what: 'two letters that nothing has', search: () => ({ query: 'zz' }) },
  { what: 'type and project', search: () => ({ type: 'feature-strategy-update', project: 'default' }) },
  { what: 'type and project, few', search: () => ({ type: 'feature-stale-on', project: 'team-5' }) },
  { what: 'type and flag', search: () => ({ type: 'feature-tagged', feature: 'flag-3' }) },
  { what: 'flag and word', search: () => ({ feature: 'flag-3', query: 'norlu' }) },
  { what: 'project and common word', search: () => ({ project: 'default', query: 'flexibleRollout' }) },
  { what: 'environment', find: () => ({ environments: ['production'], limit: 100 }) },
  { what: 'creator', find: () => ({ createdBy: [150], limit: 100 }) },
  { what: 'three days', find: () => ({ from: '2024-06-01', to: '2024-06-03', limit: 100 }) },
  {
    what: 'a year, a project and a type',
    find: () => ({
      from: '2024-06-01',
      to: '2025-05-31',
      projects: ['default'],
      types: ['feature-created'],
      limit: 100,
    }),
  },
  {
    what: 'two types, leaving out 5,000',
    find: () => ({ types: ['feature-created', 'feature-tagged'], skip: 5_000, limit: 100 }),
  },
];
