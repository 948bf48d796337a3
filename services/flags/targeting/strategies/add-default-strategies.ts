import { randomUUID } from 'node:crypto';
import type { ServedContext } from '@yardarm/shared/bus';
import type { Strategy } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { TimeSlicer } from '@yardarm/shared/waiting';
import type { FlagsTables } from '../../db/schema.ts';
import type { Limits } from '../../places/limits/limits.ts';
import { findDefaultStrategies } from '../../places/project-environments/project-environments.repo.ts';
import { findDefinitions } from './definitions.repo.ts';
import { checkedStrategy, checkLimits, defaultStrategy, nextSortOrder } from './strategy.ts';
import {
  findStrategyOutlines,
  findVariantBytes,
  insertStrategies,
  type WholeStrategy,
} from './whole-strategies.repo.ts';

interface Place {
  featureName: string;
  project: string;
  environment: string;
}

/**
 * Gives flags that are switched on, each in one environment, without an enabled strategy there the default strategy of
 * the project in the environment, else the one that matches everybody. Returns the added ones by flag. The added one is
 * enabled, also if the project's default is not. One of its segments that does not exist is refused: without it the
 * strategy would match more people. The rows of the flags are locked.
 */
export async function addDefaultStrategies(
  trx: Transaction<FlagsTables>,
  places: readonly Place[],
  limits: Limits,
  context: Pick<ServedContext, 'deadline'>,
): Promise<Map<string, Strategy>> {
  if (places.length === 0) return new Map();
  const found = await findStrategyOutlines(
    trx,
    places.map(({ featureName }) => featureName),
  );
  const outlines = Map.groupBy(found, ({ featureName }) => featureName);
  const presentOf = ({ featureName, environment }: Place) =>
    (outlines.get(featureName) ?? []).filter((one) => one.environment === environment);
  const lacking = places.filter((place) => presentOf(place).every(({ disabled }) => disabled));
  if (lacking.length === 0) return new Map();
  const variantBytes = await findVariantBytes(
    trx,
    lacking.map(({ featureName }) => featureName),
  );
  const added: WholeStrategy[] = [];
  for (const group of Map.groupBy(lacking, placeKey).values()) {
    const { project, environment } = group[0]!;
    const chosen = (await findDefaultStrategies(trx, project, environment)).get(environment) ?? defaultStrategy;
    const definitions = await findDefinitions(trx, [chosen], project);
    const own = await new TimeSlicer(context).map(group, (place) => {
      const { featureName } = place;
      const checked = checkedStrategy({ ...chosen, disabled: false }, featureName, limits, definitions);
      checkLimits(checked, environment, outlines.get(featureName) ?? [], limits, variantBytes.get(featureName));
      return { ...checked, id: randomUUID(), featureName, environment, sortOrder: nextSortOrder(presentOf(place)) };
    });
    added.push(...own);
  }
  await insertStrategies(trx, added);
  return new Map(added.map(({ environment, ...strategy }) => [strategy.featureName, strategy]));
}

function placeKey({ project, environment }: Place): string {
  return JSON.stringify([project, environment]);
}
