import { isDeepStrictEqual } from 'node:util';
import type { ServedContext } from '@yardarm/shared/bus';
import type { Transaction } from '@yardarm/shared/db';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import type { FlagsResources } from '../../resources.ts';
import { featureEventData } from '../feature.ts';
import { lockLiveFeature } from '../find-feature.ts';
import type { StoredLink } from './link.ts';
import { findLinks } from './links.repo.ts';

/** Changes the links of a flag. SDKs do not see links. The event has the flag with its links before and after. */
export async function changeLinks(
  resources: FlagsResources,
  { projectId, featureName }: { projectId: string; featureName: string },
  context: ServedContext,
  change: (trx: Transaction<FlagsTables>, links: readonly StoredLink[]) => Promise<void>,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const feature = await lockLiveFeature(trx, projectId, featureName);
    const before = await findLinks(trx, featureName);
    await change(trx, before);
    const after = await findLinks(trx, featureName);
    if (isDeepStrictEqual(before, after)) return;
    const properties = featureEventData(feature);
    const [data, preData] = [
      { ...properties, links: after },
      { ...properties, links: before },
    ];
    await emit({ context, feature, events: [{ type: 'feature-metadata-updated', data, preData }], visibleIn: [] });
  });
}
