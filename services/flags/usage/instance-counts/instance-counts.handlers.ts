import type { ServedContext } from '@yardarm/shared/bus';
import type { FlagsCounts } from '@yardarm/shared/contracts/flags';
import { findSystemId } from '@yardarm/shared/db';
import { largeReads } from '../../large-reads.ts';
import type { FlagsResources } from '../../resources.ts';
import { builtInTypes } from '../../targeting/strategies/known-strategies.ts';
import { findCounts } from './instance-counts.repo.ts';

export async function countFlags(
  { db }: FlagsResources,
  _: Record<string, never>,
  context: ServedContext,
): Promise<FlagsCounts> {
  return await largeReads.run(context, async () => {
    const { strategies: ownTypes, ...counts } = await findCounts(db.kysely);
    return {
      ...counts,
      instanceId: await findSystemId(db.kysely),
      strategies: builtInTypes.length + ownTypes,
    };
  });
}
