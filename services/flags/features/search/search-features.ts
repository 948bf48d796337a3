import type { ServedContext } from '@yardarm/shared/bus';
import type { FeatureSearch, FoundFeature } from '@yardarm/shared/contracts/flags';
import type { FlagsResources } from '../../resources.ts';
import { findMatches } from './feature-search.repo.ts';
import { toFoundFeature } from './found-feature.ts';

export async function searchFeatures(
  { db }: FlagsResources,
  search: FeatureSearch,
  { actor }: ServedContext,
): Promise<{ features: FoundFeature[]; total: number }> {
  const { features, total } = await findMatches(db.kysely, search, actor?.id ?? null);
  return { features: features.map(toFoundFeature), total };
}
