import type { Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import type { StoredFeature } from '../../features/feature.ts';
import { lockLiveFeature } from '../../features/find-feature.ts';
import { environmentNotFound } from '../../places/environments/environment.ts';
import { findFeatureEnvironments } from '../../places/environments/feature-environments.repo.ts';
import { findStrategies, findStrategy, type StrategyOutline } from './strategies.repo.ts';
import { strategyNotFound } from './strategy.ts';

export interface FeatureEnvironmentKey {
  projectId: string;
  featureName: string;
  environment: string;
}

export interface LockedFeatureEnvironment {
  feature: StoredFeature;
  isOn: boolean;
  /** The strategies of the flag in all environments. */
  strategies: StrategyOutline[];
  /** The size of the flag's variants in all environments. */
  variantBytes: number;
}

/** Locks a flag whose strategies in an environment change. Throws `not-found` that names what is missing. */
export async function lockFeatureEnvironment(
  trx: Transaction<FlagsTables>,
  { projectId, featureName, environment }: FeatureEnvironmentKey,
): Promise<LockedFeatureEnvironment> {
  const feature = await lockLiveFeature(trx, projectId, featureName);
  const environments = await findFeatureEnvironments(trx, featureName);
  const state = environments.get(environment);
  if (state === undefined) throw environmentNotFound(environment, projectId);
  const variantBytes = [...environments.values()].reduce((sum, each) => sum + each.variantBytes, 0);
  return { feature, isOn: state.enabled, variantBytes, strategies: await findStrategies(trx, featureName) };
}

/** Locks the place, and finds one of its strategies. */
export async function lockStrategy(
  trx: Transaction<FlagsTables>,
  place: FeatureEnvironmentKey & { strategyId: string },
) {
  const locked = await lockFeatureEnvironment(trx, place);
  const strategy = await findStrategy(trx, place);
  if (strategy === null) throw strategyNotFound(place.strategyId, place.featureName, place.environment);
  return { ...locked, strategy };
}
