import type { ServedContext } from '@yardarm/shared/bus';
import type { FeatureSearch, FoundFeature } from '@yardarm/shared/contracts/flags';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';
import type { FlagsResources } from '../../resources.ts';
import { findMatches, findMatchesOfTexts, textsLimitMs } from './feature-search.repo.ts';
import { toFoundFeature } from './found-feature.ts';

const refusal = 'Other searches of flags took all of the time.';

/**
 * Of ten connections, which changes and the fetches of gateways need too. A page of a hundred flags of 450 kB takes
 * Postgres a second.
 */
const limit = new ConcurrencyLimit(2, refusal);

/** Those with texts take longer, and the others do not wait for them. */
const textLimit = new ConcurrencyLimit(2, refusal, { takesMs: textsLimitMs });

export async function searchFeatures(
  { db }: FlagsResources,
  search: FeatureSearch,
  context: ServedContext,
): Promise<{ features: FoundFeature[]; total: number }> {
  const userId = context.actor?.id ?? null;
  const { features, total } = await (search.texts === undefined
    ? limit.run(context, () => findMatches(db.kysely, search, userId))
    : textLimit.run(context, () => findMatchesOfTexts(db, search, userId)));
  return { features: features.map(toFoundFeature), total };
}
