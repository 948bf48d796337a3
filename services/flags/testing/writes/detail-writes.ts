import * as contracts from '@yardarm/shared/contracts/flags';
import type { FlagsRig } from '../flags-rig.ts';
import {
  anyNumber,
  anyText,
  defaultStrategyData,
  type ExpectedEvent,
  environment,
  flagData,
  ofFlag,
  projectId,
  strategyData,
  type Write,
  write,
} from './write.ts';

const featureName = 'detailed';
const place = { projectId, featureName, environment };

const viewOf = (rig: FlagsRig, name = featureName) => rig.ask(contracts.getFeature, { projectId, featureName: name });

async function strategiesOf(rig: FlagsRig): Promise<contracts.Strategy[]> {
  return (await viewOf(rig)).environments.find(({ name }) => name === environment)!.strategies;
}

async function lastStrategy(rig: FlagsRig) {
  return { ...place, strategyId: (await strategiesOf(rig)).at(-1)!.id };
}

async function segmentId(rig: FlagsRig): Promise<number> {
  const pieces = await rig.askMany(contracts.listSegments, {});
  return pieces.flatMap(({ segments }) => segments).find(({ name }) => name === 'of strategies')!.id;
}

const named = { name: 'default', title: 'First' };
const first = strategyData(featureName, { title: 'First' });
const second = strategyData(featureName, { title: 'Second' });
const third = strategyData(featureName, { title: 'Third' });
const enabled: ExpectedEvent = { type: 'feature-environment-enabled', environment };
const disabled: ExpectedEvent = { type: 'feature-environment-disabled', environment };

const switchOn = write(contracts.switchEnvironment, { ...place, enabled: true }, ofFlag(featureName, enabled));

/** Adds a strategy again, and switches the flag on by it. */
const onAgain: Write[] = [
  write(
    contracts.switchEnvironment,
    { ...place, enabled: true },
    ofFlag(
      featureName,
      {
        type: 'feature-strategy-add',
        environment,
        data: { ...defaultStrategyData(featureName), sortOrder: anyNumber },
      },
      enabled,
    ),
  ),
];

const changed = (data: Record<string, unknown>, preData: Record<string, unknown>): ExpectedEvent => ({
  ...{ type: 'feature-strategy-update', environment, data, preData },
});

const ofDefault = (changes: Record<string, unknown> = {}) => ({
  ...defaultStrategyData(featureName),
  ...{ sortOrder: anyNumber, ...changes },
});

export const strategyWrites: readonly Write[] = [
  write(
    contracts.createFeature,
    { projectId, name: featureName },
    ofFlag(featureName, { type: 'feature-created', data: flagData(featureName) }),
    'name-exists',
  ),
  write(
    contracts.createSegment,
    { name: 'of strategies', constraints: [] },
    [{ type: 'segment-created', data: segmentData('of strategies') }],
    'name-exists',
  ),
  // The same again adds a second strategy.
  write(
    contracts.addStrategy,
    { ...place, strategy: named },
    ofFlag(featureName, { type: 'feature-strategy-add', environment, data: first }),
    'the same',
  ),
  write(
    contracts.updateStrategy,
    async (rig) => ({ ...(await lastStrategy(rig)), strategy: { title: 'Second' } }),
    ofFlag(featureName, changed({ ...second, sortOrder: 1 }, { ...first, sortOrder: 1 })),
  ),
  write(
    contracts.patchStrategy,
    async (rig) => ({
      ...(await lastStrategy(rig)),
      operations: [{ op: 'replace' as const, path: '/title', value: 'Third' }],
    }),
    ofFlag(featureName, changed({ ...third, sortOrder: 1 }, { ...second, sortOrder: 1 })),
  ),
  write(
    contracts.setStrategySegments,
    async (rig) => {
      const { strategyId } = await lastStrategy(rig);
      return { projectId, strategyId, environmentId: environment, segmentIds: [await segmentId(rig)] };
    },
    ofFlag(featureName, changed({ ...third, sortOrder: 1, segments: [anyNumber] }, { ...third, sortOrder: 1 })),
  ),
  write(
    contracts.setStrategyOrder,
    async (rig) => ({
      ...place,
      order: [
        { id: (await lastStrategy(rig)).strategyId, sortOrder: 0 },
        { id: (await strategiesOf(rig))[0]!.id, sortOrder: 1 },
      ],
    }),
    ofFlag(featureName, {
      ...{ type: 'strategy-order-changed', environment },
      ...{ data: { strategyIds: [anyText, anyText] }, preData: { strategyIds: [anyText, anyText] } },
    }),
  ),
  switchOn,
  write(
    contracts.deleteStrategy,
    lastStrategy,
    ofFlag(featureName, { type: 'feature-strategy-remove', environment, preData: { ...first, sortOrder: 1 } }),
    'not-found',
  ),
  write(
    contracts.deleteStrategy,
    lastStrategy,
    ofFlag(
      featureName,
      {
        ...{ type: 'feature-strategy-remove', environment },
        preData: { ...third, segments: [anyNumber] },
      },
      disabled,
    ),
    'not-found',
  ),
  ...onAgain,
  write(
    contracts.updateStrategy,
    async (rig) => ({
      ...(await lastStrategy(rig)),
      strategy: { disabled: true, parameters: { rollout: '100', stickiness: 'default', groupId: featureName } },
    }),
    ofFlag(featureName, changed(ofDefault({ disabled: true }), ofDefault()), disabled),
  ),
  ...onAgain,
  write(
    contracts.patchStrategy,
    async (rig) => ({
      ...(await lastStrategy(rig)),
      operations: [{ op: 'replace' as const, path: '/disabled', value: true }],
    }),
    ofFlag(featureName, changed(ofDefault({ disabled: true }), ofDefault()), disabled),
  ),
];

const blue = { name: 'blue', weight: 1000, weightType: 'variable' as const, stickiness: 'default' };
const sky = { ...blue, name: 'sky' };
const variants = (data: object[], preData: object[], where = environment): ExpectedEvent => ({
  ...{ type: 'feature-environment-variants-updated', environment: where },
  ...{ data: { variants: data }, preData: { variants: preData } },
});

export const variantWrites: readonly Write[] = [
  write(contracts.replaceVariants, { ...place, variants: [blue] }, ofFlag(featureName, variants([blue], []))),
  write(
    contracts.patchVariants,
    { ...place, operations: [{ op: 'replace', path: '/0/name', value: 'sky' }] },
    ofFlag(featureName, variants([sky], [blue])),
  ),
  write(
    contracts.replaceVariantsInEnvironments,
    { projectId, featureName, environments: [environment, 'production'], variants: [blue] },
    ofFlag(featureName, variants([blue], [sky]), variants([blue], [], 'production')),
  ),
];

const parent = { feature: 'parent', enabled: true, variants: [] };
const off = { feature: 'parent', enabled: false, variants: [] };

export const dependencyWrites: readonly Write[] = [
  write(
    contracts.addDependency,
    { projectId, child: featureName, feature: 'parent' },
    ofFlag(featureName, { type: 'feature-dependency-added', data: parent }),
  ),
  write(
    contracts.addDependency,
    { projectId, child: featureName, feature: 'parent', enabled: false },
    ofFlag(featureName, { type: 'feature-dependency-added', data: off, preData: parent }),
  ),
  write(
    contracts.deleteDependency,
    { projectId, child: featureName, parent: 'parent' },
    ofFlag(featureName, { type: 'feature-dependency-removed', preData: off }),
    'not-found',
  ),
  write(
    contracts.addDependency,
    { projectId, child: featureName, feature: 'parent' },
    ofFlag(featureName, { type: 'feature-dependency-added', data: parent }),
  ),
  write(
    contracts.deleteDependencies,
    { projectId, child: featureName },
    ofFlag(featureName, { type: 'feature-dependencies-removed', preData: { dependencies: [parent] } }),
    'not-found',
  ),
];

const linked = (...links: object[]) => flagData(featureName, { links });
const link = (url: string) => ({ id: anyText, url, title: 'Plan' });
const [one, two] = ['https://example.com/1', 'https://example.com/2'] as const;
const firstLink = async (rig: FlagsRig) => ({ projectId, featureName, linkId: (await viewOf(rig)).links[0]!.id });
const linksChanged = (data: object[], preData: object[]) =>
  ofFlag(featureName, { type: 'feature-metadata-updated', data: linked(...data), preData: linked(...preData) });

export const linkWrites: readonly Write[] = [
  // The same again adds a second link.
  write(
    contracts.createFeatureLink,
    { projectId, featureName, url: one, title: 'Plan' },
    linksChanged([link(one)], []),
    'the same',
  ),
  write(
    contracts.updateFeatureLink,
    async (rig) => ({ ...(await firstLink(rig)), url: two }),
    linksChanged([link(two), link(one)], [link(one), link(one)]),
  ),
  write(contracts.deleteFeatureLink, firstLink, linksChanged([link(one)], [link(two), link(one)]), 'not-found'),
];

const red = { type: 'simple', value: 'red' };
const green = { type: 'simple', value: 'green' };
const brown = { type: 'simple', value: 'brown' };
const created = (tag: object): ExpectedEvent => ({ type: 'tag-created', data: { ...tag } });
const tagged = (tag: object): ExpectedEvent => ({ type: 'feature-tagged', data: { ...tag } });
const untagged = (tag: object): ExpectedEvent => ({ type: 'feature-untagged', data: { ...tag } });

export const tagWrites: readonly Write[] = [
  write(
    contracts.createFeature,
    { projectId, name: 'tagged', tags: [red] },
    [created(red), ...ofFlag('tagged', { type: 'feature-created', data: flagData('tagged') })],
    'name-exists',
  ),
  write(
    contracts.createTag,
    { type: 'simple', value: 'unused' },
    [created({ ...red, value: 'unused' })],
    'name-exists',
  ),
  write(
    contracts.deleteTag,
    { type: 'simple', value: 'unused' },
    [{ type: 'tag-deleted', preData: { ...red, value: 'unused' } }],
    'not-found',
  ),
  write(contracts.addFeatureTag, { featureName, ...green }, [created(green), ...ofFlag(featureName, tagged(green))]),
  write(contracts.updateFeatureTags, { featureName, addedTags: [brown], removedTags: [green] }, [
    created(brown),
    ...ofFlag(featureName, untagged(green), tagged(brown)),
  ]),
  write(
    contracts.updateTagsOfFeatures,
    { projectId, features: [featureName], tags: { addedTags: [{ ...red, value: 'new' }], removedTags: [brown] } },
    [created({ ...red, value: 'new' }), ...ofFlag(featureName, untagged(brown), tagged({ ...red, value: 'new' }))],
  ),
  write(
    contracts.removeFeatureTag,
    { featureName, ...red, value: 'new' },
    ofFlag(featureName, untagged({ ...red, value: 'new' })),
  ),
];

export function segmentData(name: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ id: anyNumber, name, description: null, project: null, constraints: [], createdBy: 'ed', createdAt: anyText },
    ...changes,
  };
}
