import { requirePermission } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import { maxFeatureNames, type Step, type Strategy, stepPermissions } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { applyChanges } from '../../features/apply-changes.ts';
import { decideChangeOf } from '../../features/decide-change.ts';
import type { StoredFeature } from '../../features/feature.ts';
import { lockFeatures } from '../../features/features.repo.ts';
import { lockLiveFeature } from '../../features/find-feature.ts';
import { findLiveFeaturesWithTag } from '../../features/tags/feature-tags.repo.ts';
import { environmentNotFound } from '../../places/environments/environment.ts';
import { switchLocked } from '../../places/environments/switch-features.ts';
import type { Limits } from '../../places/limits/limits.ts';
import { findDefaultStrategies } from '../../places/project-environments/project-environments.repo.ts';
import { projectNotFound } from '../../places/projects/project.ts';
import { hasProject } from '../../places/projects/projects.repo.ts';
import { changeOneStrategy } from '../../targeting/strategies/change-strategy.ts';
import { lockFeatureEnvironment } from '../../targeting/strategies/lock-feature-environment.ts';
import { findStrategiesIn } from '../../targeting/strategies/strategies.repo.ts';
import { actorOf, type Emit } from '../record-change.ts';
import { named, onlyRollout, tagOf, tooManyTagged, withRollout } from './step.ts';

interface Work {
  trx: Transaction<FlagsTables>;
  emit: Emit;
  context: ServedContext;
  limits: Limits;
}

interface FlagPlace {
  project: string;
  environment: string;
  featureName: string;
}

/** Does what the action says, if the actor may. Returns one sentence that says what changed. */
export async function doAction(work: Work, { action, parameters }: Step): Promise<string> {
  const { project } = parameters;
  const place = 'environment' in parameters ? { project, environment: parameters.environment } : { project };
  requirePermission(actorOf(work.context), stepPermissions[action], place);
  switch (action) {
    case 'TOGGLE_FEATURE_ON':
      return await switchFlag(work, parameters, true);
    case 'TOGGLE_FEATURE_OFF':
      return await switchFlag(work, parameters, false);
    case 'TOGGLE_FEATURES_ON_BY_TAG':
      return await switchTagged(work, parameters, true);
    case 'TOGGLE_FEATURES_OFF_BY_TAG':
      return await switchTagged(work, parameters, false);
    case 'SET_ROLLOUT':
      return await setRollout(work, parameters);
    case 'MARK_STALE':
      return await markStale(work, parameters);
    case 'ENABLE_STRATEGY':
      return await setDisabled(work, parameters, false);
    case 'DISABLE_STRATEGY':
      return await setDisabled(work, parameters, true);
  }
}

const onOrOff = (enabled: boolean) => (enabled ? 'on' : 'off');

async function switchFlag(work: Work, { project, environment, featureName }: FlagPlace, enabled: boolean) {
  const feature = await lockLiveFeature(work.trx, project, featureName);
  const count = await switchTo(work, [feature], environment, enabled);
  const where = `${onOrOff(enabled)} in the environment ${named(environment)}`;
  if (count === 0) return `No change: the feature ${named(featureName)} is already ${where}.`;
  return `Switched the feature ${named(featureName)} ${where}.`;
}

async function switchTagged(
  work: Work,
  { project, environment, tag }: { project: string; environment: string; tag: string },
  enabled: boolean,
) {
  const { trx } = work;
  const find = () => findLiveFeaturesWithTag(trx, project, tagOf(tag), maxFeatureNames + 1);
  const names = await find();
  if (names.length > maxFeatureNames) throw tooManyTagged(project, tag);
  const locked = await lockFeatures(trx, names);
  // Before the rows were locked, a flag may have lost the tag, moved or been archived.
  const features = (await find()).flatMap((name) => locked.get(name) ?? []);
  if (features.length === 0) {
    await requireProjectEnvironment(trx, project, environment);
    return `No change: the project ${named(project)} has no flag with the tag ${named(tag)}.`;
  }
  const count = await switchTo(work, features, environment, enabled);
  const tagged = `${features.length} ${features.length === 1 ? 'flag' : 'flags'} with the tag ${named(tag)}`;
  const where = `${onOrOff(enabled)} in the environment ${named(environment)}`;
  if (count === 0) return `No change: ${tagged} already ${where}.`;
  return `Switched ${count < features.length ? `${count} of ` : ''}${tagged} ${where}.`;
}

async function switchTo(
  { trx, emit, context, limits }: Work,
  features: readonly StoredFeature[],
  environment: string,
  enabled: boolean,
): Promise<number> {
  const how = { environment, enabled, shouldActivateDisabledStrategies: false };
  return await switchLocked(trx, emit, { features, ...how, context, limits });
}

/** When there is no flag to switch, only this finds that a name is unknown. */
async function requireProjectEnvironment(trx: Work['trx'], project: string, environment: string): Promise<void> {
  if (!(await hasProject(trx, project))) throw projectNotFound(project);
  const present = await findDefaultStrategies(trx, project, environment);
  if (!present.has(environment)) throw environmentNotFound(environment, project);
}

async function markStale(
  { trx, emit, context, limits }: Work,
  { project, featureName }: Omit<FlagPlace, 'environment'>,
) {
  const change = decideChangeOf(context, await lockLiveFeature(trx, project, featureName), { stale: true });
  await applyChanges(trx, emit, [change], { limits });
  if (change.difference === null) return `No change: the feature ${named(featureName)} is already stale.`;
  return `Marked the feature ${named(featureName)} as stale.`;
}

async function setRollout(work: Work, parameters: FlagPlace & { rollout: number; strategyId?: string | undefined }) {
  const strategyId = parameters.strategyId ?? (await findOnlyRollout(work.trx, parameters));
  const { rollout } = parameters;
  const change = (strategy: Strategy) => withRollout(strategy, rollout);
  const { before, what } = await changeStrategyOf(work, { ...parameters, strategyId }, change);
  const earlier = before.parameters.rollout;
  if (earlier === String(rollout)) return `No change: the rollout of ${what} is already ${rollout} %.`;
  return `Set the rollout of ${what} to ${rollout} %.`;
}

/** The flag's row stays locked, so the strategy stays the only one. */
async function findOnlyRollout(trx: Work['trx'], { project, ...rest }: FlagPlace): Promise<string> {
  const place = { projectId: project, featureName: rest.featureName, environment: rest.environment };
  await lockFeatureEnvironment(trx, place);
  const found = await findStrategiesIn(trx, place);
  return onlyRollout(found?.strategies ?? [], place);
}

async function setDisabled(work: Work, parameters: FlagPlace & { strategyId: string }, disabled: boolean) {
  const { before, what } = await changeStrategyOf(work, parameters, (strategy) => ({ ...strategy, disabled }));
  if (before.disabled === disabled) return `No change: ${what} is already ${disabled ? 'disabled' : 'enabled'}.`;
  return `${disabled ? 'Disabled' : 'Enabled'} ${what}.`;
}

async function changeStrategyOf(
  { trx, emit, context, limits }: Work,
  { project: projectId, environment, featureName, strategyId }: FlagPlace & { strategyId: string },
  change: (before: Strategy) => Strategy,
) {
  const place = { projectId, featureName, environment, strategyId };
  const { before } = await changeOneStrategy(trx, emit, { place, context, limits, change });
  const where = `of the feature ${named(featureName)} in the environment ${named(environment)}`;
  return { before, what: `the strategy with ID ${named(strategyId)} ${where}` };
}
