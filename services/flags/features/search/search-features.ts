import type { ServedContext } from '@yardarm/shared/bus';
import type { FeatureSearch, FoundFeature } from '@yardarm/shared/contracts/flags';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';
import { runLongRead } from '../../connections.ts';
import { restsFromMs } from '../../large-reads.ts';
import type { Turns } from '../../read-turns.ts';
import type { FlagsResources } from '../../resources.ts';
import { findMatches, findMatchesOfTexts, textsLimitMs } from './feature-search.repo.ts';
import { toFoundFeature } from './found-feature.ts';

/** Searches in texts take longer than other searches, which do not wait for them. */
const textSearches = new ConcurrencyLimit(2, 'Other searches of flags took all of the time.', {
  takesMs: textsLimitMs,
  restsFromMs,
});

export function turnsOfTextSearches(limits: Pick<FlagsResources, 'longReads'>): Turns {
  return { run: (context, read) => runLongRead(textSearches, limits, context, read) };
}

export async function searchFeatures(
  { db }: FlagsResources,
  search: FeatureSearch,
  context: ServedContext,
): Promise<{ features: FoundFeature[]; total: number }> {
  const userId = context.actor?.id ?? null;
  const { features, total } = await (search.texts === undefined
    ? findMatches(db.kysely, search, userId)
    : findMatchesOfTexts(db, search, userId));
  return { features: features.map(toFoundFeature), total };
}
