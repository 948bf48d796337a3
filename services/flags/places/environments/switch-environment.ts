import type { ServedContext } from '@yardarm/shared/bus';
import type { VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { Emit } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { featureArchived } from '../../features/feature.ts';
import { requireFeature } from '../../features/find-feature.ts';
import { changesOf, type Decision, decideEach, type GroupTerms, type Switch } from '../../features/grouped-request.ts';
import { lockTogether } from '../../features/lock-together.ts';
import type { FlagsResources } from '../../resources.ts';
import { applySwitches, type ChangingSwitch } from './apply-switches.ts';
import { environmentNotFound } from './environment.ts';
import { findEnabled } from './feature-environments.repo.ts';

export function switchEnvironment(
  { groups }: FlagsResources,
  input: Switch['input'],
  context: ServedContext,
): Promise<VersionedFeature> {
  return groups.submit({ kind: 'switch', input, context });
}

export async function switchTogether(
  trx: Transaction<FlagsTables>,
  emit: Emit,
  switches: readonly Switch[],
  { limits, lockedRows }: GroupTerms,
): Promise<Decision<ChangingSwitch[]>[]> {
  const inputs = switches.map(({ input }) => input);
  // Postgres executes the second statement after the first one has its locks.
  const [{ features, locked }, states] = await Promise.all([
    lockTogether(trx, switches, lockedRows),
    findEnabled(trx, inputs),
  ]);
  const decisions = await decideEach(
    switches,
    ({ input }) => locked.has(input.featureName),
    async ({ input, context }) => {
      const { projectId: project, featureName: name, ...how } = input;
      const feature = await requireFeature(trx, project, name, features.get(name));
      const enabled = states.get(name);
      if (enabled === undefined) throw environmentNotFound(how.environment, project);
      if (feature.archivedAt !== null) throw featureArchived(name);
      return enabled === how.enabled ? [] : [{ feature, ...how, context }];
    },
  );
  await applySwitches(trx, emit, changesOf(decisions).flat(), limits);
  return decisions;
}
