import type { ServedContext } from '@yardarm/shared/bus';
import type { updateEnvironment as contract, Environment } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { changeEnvironments } from './change-environments.ts';
import { environmentNotFound, toEnvironment } from './environment.ts';
import { lockEnvironments } from './environments.repo.ts';

/** Name, protection and whether projects can add the environment stay. */
export async function updateEnvironment(
  resources: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<Environment> {
  const { name, type, sortOrder, requiredApprovals } = input;
  return await recordChange(resources, context, async (trx, emit) => {
    const before = (await lockEnvironments(trx, [name], 'update')).get(name);
    if (before === undefined) throw environmentNotFound(name);
    const after = {
      ...before,
      type: type ?? before.type,
      sortOrder: sortOrder ?? before.sortOrder,
      requiredApprovals: requiredApprovals === undefined ? before.requiredApprovals : requiredApprovals,
    };
    await changeEnvironments(trx, emit, context, [{ before, after }]);
    return toEnvironment(after);
  });
}
