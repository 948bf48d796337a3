import { randomUUID } from 'node:crypto';
import { systemActor } from '@yardarm/shared/contracts';
import type { Leadership } from '@yardarm/shared/db';
import { inNewTrace } from '@yardarm/shared/telemetry';
import { recordChangeAtOnce } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { featureOrderingKey } from '../feature.ts';
import { findTagsOf } from '../feature-tags.repo.ts';
import { lockFeatures } from '../features.repo.ts';
import { findDueNames, updatePotentiallyStale } from './staleness.repo.ts';

/** Few enough for a transaction of milliseconds, since changes of these flags wait for it. */
const batch = 100;

/**
 * Marks flags that have become potentially stale, each with one event, and unmarks those that no longer are. It is no
 * change of a flag: it raises no version and no revision, and adds no collaborator. Returns whether more may be due. A
 * flag that another transaction has locked waits for the next round.
 */
export async function markPotentiallyStale(
  resources: Pick<FlagsResources, 'bus' | 'db' | 'limits'>,
  leadership: Pick<Leadership, 'requireCurrent'>,
): Promise<boolean> {
  const due = await findDueNames(resources.db.kysely, batch);
  if (due.length === 0) return false;
  const updated = await inNewTrace('mark potentially stale', (traceparent) =>
    recordChangeAtOnce(resources, async (trx, emit) => {
      await leadership.requireCurrent(trx);
      const locked = await lockFeatures(trx, due, 'skip');
      const flags = await updatePotentiallyStale(trx, [...locked.keys()]);
      const tags = await findTagsOf(
        trx,
        flags.map(({ name }) => name),
      );
      const context = { actor: systemActor, requestId: randomUUID(), traceparent };
      const changes = flags.flatMap(({ name: featureName, project, isPotentiallyStale }) => {
        if (!isPotentiallyStale) return [];
        const event = { type: 'feature-potentially-stale-on' as const, project, featureName };
        const events = [{ ...event, tags: tags.get(featureName) ?? [] }];
        return [{ context, orderingKey: featureOrderingKey(featureName), events }];
      });
      await emit(...changes);
      return flags.length;
    }),
  );
  return updated > 0 && due.length === batch;
}
