import type { ServedContext } from '@yardarm/shared/bus';
import type { VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { Emit } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { requireLiveFeature } from '../../features/find-feature.ts';
import { changesOf, type Decision, decide, type GroupTerms, type Switch } from '../../features/grouped-request.ts';
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
  const { features, locked } = await lockTogether(trx, switches, lockedRows);
  const states = await findEnabled(
    trx,
    switches.map(({ input }) => input),
  );
  const decisions: Decision<ChangingSwitch[]>[] = [];
  for (const request of switches) {
    const { projectId: project, featureName: name, ...how } = request.input;
    if (locked.has(name)) decisions.push({ status: 'locked' });
    else {
      const decision = await decide(request, async () => {
        const feature = await requireLiveFeature(trx, project, name, features.get(name));
        const enabled = states.get(name);
        if (enabled === undefined) throw environmentNotFound(how.environment, project);
        return enabled === how.enabled ? [] : [{ feature, ...how, context: request.context }];
      });
      decisions.push(decision);
    }
  }
  await applySwitches(trx, emit, changesOf(decisions).flat(), limits);
  return decisions;
}
