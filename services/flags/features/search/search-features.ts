import type { ServedContext } from '@yardarm/shared/bus';
import type { FeatureSearch, FoundFeature } from '@yardarm/shared/contracts/flags';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';
import type { FlagsResources } from '../../resources.ts';
import { findMatches, findMatchesOfTexts, textsLimitMs } from './feature-search.repo.ts';
import { toFoundFeature } from './found-feature.ts';

/** Of ten connections, which changes and the fetches of gateways need too. */
const textLimit = new ConcurrencyLimit(3, 'Other searches of flags took all of the time.', { takesMs: textsLimitMs });

export async function searchFeatures(
  { db }: FlagsResources,
  search: FeatureSearch,
  context: ServedContext,
): Promise<{ features: FoundFeature[]; total: number }> {
  const userId = context.actor?.id ?? null;
  const { features, total } = await (search.texts === undefined
    ? findMatches(db.kysely, search, userId)
    : textLimit.run(context, () => findMatchesOfTexts(db, search, userId)));
  return { features: features.map(toFoundFeature), total };
}
