import type { ServedContext } from '@yardarm/shared/bus';
import type { sortEnvironments as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { changeEnvironments } from './change-environments.ts';
import { unknownEnvironment } from './environment.ts';
import { lockEnvironments } from './environments.repo.ts';

/** Environments may share a sort order. Then their names decide. */
export async function sortEnvironments(
  resources: FlagsResources,
  { sortOrders }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const environments = await lockEnvironments(trx, Object.keys(sortOrders), 'update');
    const changes = Object.entries(sortOrders).map(([name, sortOrder]) => {
      const before = environments.get(name);
      if (before === undefined) throw unknownEnvironment(name, name);
      return { before, after: { ...before, sortOrder } };
    });
    await changeEnvironments(trx, emit, context, changes);
  });
}
