import { isDeepStrictEqual } from 'node:util';
import type { ServedContext } from '@yardarm/shared/bus';
import type { Transaction } from '@yardarm/shared/db';
import type { Emit } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { environmentEventData, environmentOrderingKey, type StoredEnvironment } from './environment.ts';
import { updateEnvironments } from './environments.repo.ts';

/** Stores the environments that differ from before, with an event each. Their rows are locked. */
export async function changeEnvironments(
  trx: Transaction<FlagsTables>,
  emit: Emit,
  context: ServedContext,
  changes: readonly { before: StoredEnvironment; after: StoredEnvironment }[],
): Promise<void> {
  const changed = changes.filter(({ before, after }) => !isDeepStrictEqual(before, after));
  if (changed.length === 0) return;
  await updateEnvironments(
    trx,
    changed.map(({ after }) => after),
  );
  await emit(
    ...changed.map(({ before, after }) => ({
      context,
      orderingKey: environmentOrderingKey(after.name),
      events: [
        {
          type: 'environment-updated' as const,
          environment: after.name,
          data: environmentEventData(after),
          preData: environmentEventData(before),
        },
      ],
    })),
  );
}
