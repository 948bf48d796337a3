import { isDeepStrictEqual } from 'node:util';
import type { ServedContext } from '@yardarm/shared/bus';
import type { setDefaultStrategy as contract, DefaultStrategy } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { findDefinitions } from '../../targeting/strategies/definitions.repo.ts';
import { environmentNotFound } from '../environments/environment.ts';
import { hasGrown, requireRoom } from '../limits/room.repo.ts';
import { requireOpenProject } from '../projects/find-project.ts';
import { projectOrderingKey } from '../projects/project.ts';
import { checkedDefaultStrategy } from './project-environment.ts';
import { findDefaultStrategies, updateDefaultStrategies } from './project-environments.repo.ts';

const everyEnvironment = '*';

/** Sets the default strategy of a project in one of its environments, or in all. SDKs see no change. */
export async function setDefaultStrategy(
  resources: FlagsResources,
  { projectId: project, environment, strategy }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<DefaultStrategy> {
  return await recordChange(resources, context, async (trx, emit) => {
    await requireOpenProject(trx, project, 'update');
    const all = environment === everyEnvironment;
    const before = await findDefaultStrategies(trx, project, all ? undefined : environment);
    if (!all && !before.has(environment)) throw environmentNotFound(environment, project);
    const definitions = await findDefinitions(trx, [strategy], project);
    const after = checkedDefaultStrategy(strategy, resources.limits, definitions);
    const changed = [...before].filter(([, stored]) => !isDeepStrictEqual(stored, after));
    if (changed.length === 0) return after;
    await updateDefaultStrategies(
      trx,
      project,
      changed.map(([name]) => name),
      after,
    );
    const events = changed.map(([name, preData]) => ({
      type: 'default-strategy-updated' as const,
      project,
      environment: name,
      data: after,
      preData,
    }));
    await emit({ context, orderingKey: projectOrderingKey(project), events });
    if (changed.some(([, stored]) => stored === null || hasGrown(stored, after))) {
      await requireRoom(trx, 'default strategies');
    }
    return after;
  });
}
