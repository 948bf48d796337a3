import type { ServedContext } from '@yardarm/shared/bus';
import type { deleteEnvironment as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { deleteUsageOfEnvironment } from '../../usage/usage.repo.ts';
import {
  environmentEventData,
  environmentInUse,
  environmentNotFound,
  environmentOrderingKey,
  environmentProtected,
} from './environment.ts';
import { deleteEnvironmentRow, findProjectsWith, lockEnvironments } from './environments.repo.ts';

/**
 * Deletes an environment that no project has. A project that adds it at the same time shares the lock of its row, so
 * the deletion sees that project. The removal from the projects has raised the counters, and they stay.
 */
export async function deleteEnvironment(
  resources: FlagsResources,
  { name }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const environment = (await lockEnvironments(trx, [name], 'update')).get(name);
    if (environment === undefined) throw environmentNotFound(name);
    if (environment.protected) throw environmentProtected(name);
    const projects = await findProjectsWith(trx, name);
    if (projects.length > 0) throw environmentInUse(name, projects);
    await deleteUsageOfEnvironment(trx, name);
    await deleteEnvironmentRow(trx, environment);
    const preData = environmentEventData(environment);
    const events = [{ type: 'environment-deleted' as const, environment: name, preData }];
    await emit({ context, orderingKey: environmentOrderingKey(name), events });
  });
}
