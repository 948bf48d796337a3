import * as contracts from '@yardarm/shared/contracts/flags';
import fc from 'fast-check';
import { operation } from './operation.ts';
import { environments, projects, type Scene } from './scene.ts';

const index = fc.nat({ max: 4 });
const indexes = fc.uniqueArray(index, { minLength: 1, maxLength: 4 });
const project = fc.constantFrom(...projects);
// The third is rare, because it rarely exists.
const environment = fc.constantFrom(...environments, 'development' as const, 'production' as const);
const places = fc.uniqueArray(fc.nat({ max: 2 }));
const value = fc.constantFrom('one', 'two');
const enabled = fc.boolean();
const variants = fc.uniqueArray(
  fc.record({
    ...{ name: fc.constantFrom('a', 'b', 'c', 'd'), weight: fc.nat({ max: 400 }), stickiness: fc.constant('default') },
    weightType: fc.constantFrom('variable' as const, 'variable' as const, 'fix' as const),
  }),
  { maxLength: 3, selector: ({ name }) => name },
);

/** The first strategy of a flag in an environment with what names it; null without one. */
async function firstStrategy({ ask, flag }: Scene, at: { index: number; environment: string }) {
  const feature = await ask(contracts.getFeature, flag(at.index));
  const id = feature.environments.find(({ name }) => name === at.environment)?.strategies[0]?.id;
  return id === undefined ? null : { ...flag(at.index), environment: at.environment, strategyId: id };
}

const onWholeFlags = [
  operation(3, 'create', { index, project }, async ({ index, project }, { ask, name, note }) => {
    const tags = [{ type: 'simple', value: 'first' }];
    await ask(contracts.createFeature, { projectId: project, name: name(index), tags });
    note(index, project);
  }),
  operation(1, 'clone', { index, to: index }, async ({ index, to }, { ask, name, flag, note }) => {
    const original = flag(index);
    await ask(contracts.cloneFeature, { ...original, name: name(to) });
    note(to, original.projectId);
  }),
  operation(8, 'move', { index, to: project }, async ({ index, to }, { ask, flag, note }) => {
    await ask(contracts.changeProject, { ...flag(index), newProjectId: to });
    note(index, to);
  }),
  operation(1, 'archive', { index }, ({ index }, { ask, flag }) => ask(contracts.archiveFeature, flag(index))),
  operation(2, 'revive', { index }, ({ index }, { ask, name }) =>
    ask(contracts.reviveFeature, { featureName: name(index) }),
  ),
  operation(1, 'delete', { index }, ({ index }, { ask, name }) =>
    ask(contracts.deleteFeature, { featureName: name(index) }),
  ),
  ...[contracts.archiveFeatures, contracts.reviveFeatures, contracts.deleteFeatures].map((contract) =>
    operation(1, contract.name, { indexes }, ({ indexes }, { ask, name, flag }) =>
      ask(contract, { projectId: flag(indexes[0]!).projectId, features: indexes.map(name) }),
    ),
  ),
  operation(1, 'mark stale', { indexes, stale: fc.boolean() }, ({ indexes, stale }, { ask, name, flag }) =>
    ask(contracts.staleFeatures, { projectId: flag(indexes[0]!).projectId, features: indexes.map(name), stale }),
  ),
  operation(1, 'describe', { index, value }, ({ index, value }, { ask, flag }) =>
    ask(contracts.updateFeature, { ...flag(index), description: value }),
  ),
  operation(2, 'tag', { index, value }, ({ index, value }, { ask, name }) =>
    ask(contracts.addFeatureTag, { featureName: name(index), type: 'simple', value }),
  ),
  operation(1, 'untag', { index, value }, ({ index, value }, { ask, name }) =>
    ask(contracts.removeFeatureTag, { featureName: name(index), type: 'simple', value }),
  ),
  operation(3, 'depend', { index, on: index }, ({ index, on }, { ask, flag, name }) => {
    const { projectId, featureName } = flag(index);
    return ask(contracts.addDependency, { projectId, child: featureName, feature: name(on) });
  }),
  operation(2, 'depend on none', { index }, ({ index }, { ask, flag }) => {
    const { projectId, featureName } = flag(index);
    return ask(contracts.deleteDependencies, { projectId, child: featureName });
  }),
];

const inEnvironments = [
  operation(4, 'switch', { index, environment, enabled }, ({ index, ...state }, { ask, flag }) =>
    ask(contracts.switchEnvironment, { ...flag(index), ...state }),
  ),
  operation(2, 'set variants', { index, environment, variants }, ({ index, ...state }, { ask, flag }) =>
    ask(contracts.replaceVariants, { ...flag(index), ...state }),
  ),
  operation(
    5,
    'add strategy',
    { index, environment, places, disabled: fc.boolean(), variants },
    ({ index, environment, places, disabled, variants }, { ask, flag, segments }) => {
      const ids = places.map((place) => segments[place]!);
      const strategy = { name: 'default', disabled, variants, segments: ids };
      return ask(contracts.addStrategy, { ...flag(index), environment, strategy });
    },
  ),
  operation(2, 'remove strategy', { index, environment }, async (at, scene) => {
    const strategy = await firstStrategy(scene, at);
    if (strategy) await scene.ask(contracts.deleteStrategy, strategy);
  }),
  operation(2, 'set segments', { index, environment, places }, async ({ places, ...at }, scene) => {
    const strategy = await firstStrategy(scene, at);
    if (!strategy) return;
    const { projectId, environment: environmentId, strategyId } = strategy;
    const segmentIds = places.map((place) => scene.segments[place]!);
    await scene.ask(contracts.setStrategySegments, { projectId, environmentId, strategyId, segmentIds });
  }),
  operation(1, 'import', { indexes, environment, value }, ({ indexes, environment, value }, { ask, name, flag }) => {
    const names = indexes.map(name);
    const data = {
      features: names.map((each) => ({ name: each, description: value })),
      featureStrategies: names.map((featureName) => ({ featureName, name: 'default', title: value })),
    };
    const text = JSON.stringify({ project: flag(indexes[0]!).projectId, environment, data });
    return ask(contracts.importFeatures, { document: { text } });
  }),
];

export const operationsOnFlags = [...onWholeFlags, ...inEnvironments];
