import type { ServedContext } from '@yardarm/shared/bus';
import type { enableEnvironment as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { changeEnvironments } from './change-environments.ts';
import { environmentNotFound } from './environment.ts';
import { lockEnvironments } from './environments.repo.ts';

/** Projects that have the environment keep it, and SDKs read the same as before. */
export async function enableEnvironment(
  resources: FlagsResources,
  { name, enabled }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const before = (await lockEnvironments(trx, [name], 'update')).get(name);
    if (before === undefined) throw environmentNotFound(name);
    await changeEnvironments(trx, emit, context, [{ before, after: { ...before, enabled } }]);
  });
}
