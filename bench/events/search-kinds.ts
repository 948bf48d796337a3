import type { Filters, Page } from '../../services/events/events/search.ts';

/** A search of the generated log; `nth` makes each repetition ask for something else of the same kind. */
export interface SearchKind {
  what: string;
  filters(nth: number): Filters;
  page?(nth: number): Partial<Page>;
}

/** Row 8: what people look for, each from the newest event on unless it says otherwise. */
export const searchKinds: readonly SearchKind[] = [
  { what: 'no filter', filters: () => ({}) },
  { what: 'no filter, from a deep id', filters: () => ({}), page: (nth) => ({ startId: 1_000 + nth }) },
  { what: 'common type', filters: () => ({ types: ['feature-strategy-update'] }) },
  { what: 'rare type', filters: () => ({ types: ['project-created'] }) },
  {
    what: 'type, from a deep id',
    filters: () => ({ types: ['user-created'] }),
    page: (nth) => ({ startId: 9_000 + nth }),
  },
  { what: 'common project', filters: () => ({ projects: ['default'] }) },
  { what: 'project', filters: (nth) => ({ projects: [`team-${[1, 2, 4, 5, 7, 8][nth % 6]}`] }) },
  { what: 'flag', filters: (nth) => ({ features: [`flag-${nth % 1_000}`] }) },
  { what: 'common word', filters: () => ({ query: 'flexibleRollout' }) },
  { what: 'word of one event in six', filters: () => ({ query: 'kakaka' }) },
  { what: 'word of one event in thirty-five', filters: () => ({ query: 'norlu' }) },
  { what: 'word of one event in three hundred', filters: () => ({ query: 'flag-77' }) },
  { what: 'rare word, each another', filters: (nth) => ({ query: `SHOP-${1_000 * nth}` }) },
  {
    what: 'common word, from a deep id',
    filters: () => ({ query: 'flexibleRollout' }),
    page: (nth) => ({ startId: 5_000 + nth }),
  },
  { what: 'two letters that nothing has', filters: () => ({ query: 'zz' }) },
  { what: 'type and project', filters: () => ({ types: ['feature-strategy-update'], projects: ['default'] }) },
  { what: 'type and project, few', filters: () => ({ types: ['feature-stale-on'], projects: ['team-5'] }) },
  { what: 'type and flag', filters: () => ({ types: ['feature-tagged'], features: ['flag-3'] }) },
  { what: 'flag and word', filters: () => ({ features: ['flag-3'], query: 'norlu' }) },
  { what: 'project and common word', filters: () => ({ projects: ['default'], query: 'flexibleRollout' }) },
  { what: 'environment', filters: () => ({ environments: ['production'] }) },
  { what: 'creator', filters: () => ({ createdBy: [150] }) },
  { what: 'three days', filters: () => ({ from: '2024-06-01', to: '2024-06-03' }) },
  {
    what: 'a year, a project and a type',
    filters: () => ({ from: '2024-06-01', to: '2025-05-31', projects: ['default'], types: ['feature-created'] }),
  },
  {
    what: 'two types, leaving out 5,000',
    filters: () => ({ types: ['feature-created', 'feature-tagged'] }),
    page: () => ({ skip: 5_000 }),
  },
];
