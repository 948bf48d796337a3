import type { Transaction } from '@yardarm/shared/db';
import type { LockedRows } from '../changes/group-commit.ts';
import type { FlagsTables } from '../db/schema.ts';
import type { StoredFeature } from './feature.ts';
import { findFeatureNames, lockFeatures } from './features.repo.ts';
import { type GroupedRequest, nameOf } from './grouped-request.ts';

/** The flags of the requests by name, and the names of those that another transaction has locked. */
export async function lockTogether(
  trx: Transaction<FlagsTables>,
  requests: readonly GroupedRequest[],
  lockedRows: LockedRows,
): Promise<{ features: Map<string, StoredFeature>; locked: Set<string> }> {
  const names = requests.map(nameOf);
  const features = await lockFeatures(trx, names, lockedRows);
  const others = lockedRows === 'skip' ? names.filter((name) => !features.has(name)) : [];
  return { features, locked: await findFeatureNames(trx, others) };
}
