import { type ServedContext, splitIntoPieces } from '@yardarm/shared/bus';
import type { FeatureSearch, FoundFeature } from '@yardarm/shared/contracts/flags';
import type { FlagsResources } from '../resources.ts';
import { findMatches } from './feature-search.repo.ts';
import { toFoundFeature } from './found-feature.ts';

/** Each piece has the number of all matches. */
export async function* searchFeatures(
  { db }: FlagsResources,
  search: FeatureSearch,
  { actor }: ServedContext,
): AsyncGenerator<{ features: FoundFeature[]; total: number }> {
  const { features, total } = await findMatches(db.kysely, search, actor?.id ?? null);
  const pieces = splitIntoPieces(features.map(toFoundFeature));
  for (const piece of pieces.length === 0 ? [[]] : pieces) yield { features: piece, total };
}
