import type { FlagsCounts } from '@yardarm/shared/contracts/flags';
import { findSystemId } from '@yardarm/shared/db';
import type { FlagsResources } from '../../resources.ts';
import { builtInTypes } from '../../targeting/strategies/known-strategies.ts';
import { findCounts } from './instance-counts.repo.ts';

export async function countFlags({ db }: FlagsResources): Promise<FlagsCounts> {
  const { strategies: ownTypes, ...counts } = await findCounts(db.kysely);
  return {
    ...counts,
    instanceId: await findSystemId(db.kysely),
    strategies: builtInTypes.length + ownTypes,
  };
}
