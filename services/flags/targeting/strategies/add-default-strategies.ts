import { randomUUID } from 'node:crypto';
import type { ServedContext } from '@yardarm/shared/bus';
import type { Strategy } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import type { Limits } from '../../places/limits/limits.ts';
import { findDefaultStrategies } from '../../places/project-environments/project-environments.repo.ts';
import { TimeSlicer } from '../../time-slicer.ts';
import { findDefinitions } from './definitions.repo.ts';
import { checkedStrategy, checkLimits, defaultStrategy, nextSortOrder } from './strategy.ts';
import { findStrategyOutlines, findVariantBytes, insertStrategies } from './whole-strategies.repo.ts';

/**
 * Gives flags of a project that are switched on without an enabled strategy the default strategy of the project in the
 * environment, else the one that matches everybody. Returns the added ones by flag. The added one is enabled, also if
 * the project's default is not. One of its segments that does not exist is refused: without it the strategy would match
 * more people. The rows of the flags are locked.
 */
export async function addDefaultStrategies(
  trx: Transaction<FlagsTables>,
  { project, names, environment }: { project: string; names: readonly string[]; environment: string },
  limits: Limits,
  context: Pick<ServedContext, 'deadline'>,
): Promise<Map<string, Strategy>> {
  const outlines = Map.groupBy(await findStrategyOutlines(trx, names), ({ featureName }) => featureName);
  const presentOf = (name: string) => (outlines.get(name) ?? []).filter((one) => one.environment === environment);
  const lacking = names.filter((name) => presentOf(name).every(({ disabled }) => disabled));
  if (lacking.length === 0) return new Map();
  const chosen = (await findDefaultStrategies(trx, project, environment)).get(environment) ?? defaultStrategy;
  const definitions = await findDefinitions(trx, [chosen], project);
  const variantBytes = await findVariantBytes(trx, lacking);
  const added = await new TimeSlicer(context).map(lacking, (featureName) => {
    const checked = checkedStrategy({ ...chosen, disabled: false }, featureName, limits, definitions);
    checkLimits(checked, environment, outlines.get(featureName) ?? [], limits, variantBytes.get(featureName));
    return { ...checked, id: randomUUID(), featureName, sortOrder: nextSortOrder(presentOf(featureName)) };
  });
  await insertStrategies(
    trx,
    added.map((strategy) => ({ ...strategy, environment })),
  );
  return new Map(added.map((strategy) => [strategy.featureName, strategy]));
}
