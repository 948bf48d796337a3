import type { ServedContext } from '@yardarm/shared/bus';
import type { createEnvironment as contract, Environment } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { freeName } from '../incarnations/free-name.ts';
import { requireWithinLimit } from '../limits/limits.repo.ts';
import { environmentEventData, environmentExists, environmentOrderingKey, toEnvironment } from './environment.ts';
import { insertEnvironment } from './environments.repo.ts';

/** Makes an environment, which no project has at first. */
export async function createEnvironment(
  resources: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<Environment> {
  const { name } = input;
  await freeName(resources, { kind: 'environment', id: name }, context);
  return await recordChange(resources, context, async (trx, emit) => {
    const environment = await insertEnvironment(trx, input);
    if (environment === null) throw environmentExists(name);
    const data = environmentEventData(environment);
    const events = [{ type: 'environment-created' as const, environment: name, data }];
    await emit({ context, orderingKey: environmentOrderingKey(name), events });
    await requireWithinLimit(trx, 'environments', resources.limits);
    return toEnvironment(environment);
  });
}
