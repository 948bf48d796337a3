import { type RecentChange, useRecentChange } from '../live/recent-changes.ts';
import type { FlagChange, Target } from './change.ts';

/** The events of changes with which a change of this kind can be in conflict. */
const eventsOf: Partial<Record<FlagChange['kind'], readonly RecentChange['type'][]>> = {
  'edit-strategy': ['feature-strategy-update', 'feature-strategy-remove'],
  'delete-strategy': ['feature-strategy-update', 'feature-strategy-remove'],
  'order-strategies': ['strategy-order-changed', 'feature-strategy-add', 'feature-strategy-remove'],
  variants: ['feature-environment-variants-updated'],
  dependencies: ['feature-dependency-added', 'feature-dependency-removed', 'feature-dependencies-removed'],
  link: ['feature-metadata-updated'],
  settings: ['feature-metadata-updated', 'feature-stale-on', 'feature-stale-off'],
};

/** Who changed last what a change of this kind is about; undefined if that is not known. */
export function useLastChange(
  { project, feature }: Target,
  kind: FlagChange['kind'],
  environment?: string,
): RecentChange | undefined {
  return useRecentChange(project, feature, environment, eventsOf[kind] ?? []);
}
