import * as contracts from '@yardarm/shared/contracts/flags';
import type { FlagsRig } from '../flags-rig.ts';
import {
  anyNumber,
  anyText,
  anyTime,
  environment,
  flagData,
  ofFlag,
  projectId,
  segmentData,
  strategyData,
  type Write,
  write,
} from './write.ts';

// What these send is not what is stored: optional properties are absent, numbers are texts, weights have another sum.
// The same again is still no change.

const featureName = 'sparse';
const place = { projectId, featureName, environment };
const sentConstraint = { contextName: 'age', operator: 'NUM_GT' as const, value: '18' };
const constraint = { ...sentConstraint, values: [], caseInsensitive: false, inverted: false };
const even = [
  { name: 'blue', weight: 1 },
  { name: 'red', weight: 1 },
];
const variants = even.map(({ name }) => ({
  name,
  weight: 500,
  weightType: 'variable' as const,
  stickiness: 'default',
}));

async function strategyPlace(rig: FlagsRig) {
  const { environments } = await rig.ask(contracts.getFeature, { projectId, featureName });
  const [{ id }] = environments.find(({ name }) => name === environment)!.strategies as [contracts.Strategy];
  return { ...place, strategyId: id };
}

const segmentsOf = async (rig: FlagsRig) => (await rig.ask(contracts.listSegments, {})).segments;

const segmentId = async (rig: FlagsRig) => (await segmentsOf(rig)).find(({ name }) => name === 'sparse')!.id;

const flagWrites: readonly Write[] = [
  write(
    contracts.createFeature,
    { projectId, name: featureName, description: 'Old' },
    ofFlag(featureName, { type: 'feature-created', data: flagData(featureName, { description: 'Old' }) }),
    'name-exists',
  ),
  write(
    contracts.updateFeature,
    { projectId, featureName },
    ofFlag(featureName, {
      ...{ type: 'feature-metadata-updated', data: flagData(featureName) },
      preData: flagData(featureName, { description: 'Old' }),
    }),
  ),
  write(
    contracts.createSegment,
    { name: 'sparse', constraints: [] },
    [{ type: 'segment-created', data: segmentData('sparse') }],
    'name-exists',
  ),
  write(
    contracts.updateSegment,
    async (rig) => ({ id: await segmentId(rig), name: 'sparse', constraints: [sentConstraint] }),
    [
      {
        ...{ type: 'segment-updated', data: segmentData('sparse', { constraints: [constraint] }) },
        preData: segmentData('sparse'),
      },
    ],
  ),
  write(
    contracts.addStrategy,
    { ...place, strategy: { name: 'default' } },
    ofFlag(featureName, { type: 'feature-strategy-add', environment, data: strategyData(featureName) }),
    'the same',
  ),
  write(
    contracts.updateStrategy,
    async (rig) => {
      const id = await segmentId(rig);
      const sent = { name: 'flexibleRollout', disabled: null, segments: [id, id], constraints: [sentConstraint] };
      const weighted = variants.map((variant) => ({ ...variant, weight: 1 }));
      const parameters = { rollout: 50, stickiness: 'default', groupId: 'g' };
      return { ...(await strategyPlace(rig)), strategy: { ...sent, variants: weighted, parameters } };
    },
    ofFlag(featureName, {
      ...{ type: 'feature-strategy-update', environment, preData: strategyData(featureName) },
      data: strategyData(featureName, {
        ...{ name: 'flexibleRollout', segments: [anyNumber], constraints: [constraint], variants },
        parameters: { rollout: '50', stickiness: 'default', groupId: 'g' },
      }),
    }),
  ),
  write(
    contracts.setStrategyOrder,
    async (rig) => {
      const { strategyId: id } = await strategyPlace(rig);
      const orders = [{ id, sortOrder: 7 }].concat({ id, sortOrder: 0 });
      return { ...place, order: orders };
    },
    [],
  ),
  write(
    contracts.replaceVariants,
    { ...place, variants: even },
    ofFlag(featureName, {
      ...{ type: 'feature-environment-variants-updated', environment },
      ...{ data: { variants }, preData: { variants: [] } },
    }),
  ),
];

const port = { name: 'sparse', description: null, stickiness: false, sortOrder: 0, legalValues: [] as object[] };
const boat = {
  name: 'boat',
  title: null,
  description: null,
  parameters: [] as object[],
  editable: true,
  deprecated: false,
};
const dock = {
  ...{ id: 'dock', name: 'Dock', description: null, defaultStickiness: 'default', mode: 'open' },
  ...{ changeRequestEnvironments: [], featureLimit: null, featureNaming: null, linkTemplates: [], createdAt: anyTime },
};
const parameters = { rollout: '10', stickiness: 'default', groupId: '' };

export const sparseWrites: readonly Write[] = [
  ...flagWrites,
  write(
    contracts.createContextField,
    { name: 'sparse' },
    [{ type: 'context-field-created', data: port }],
    'name-exists',
  ),
  write(contracts.updateContextField, { name: 'sparse', legalValues: [{ value: 'a' }] }, [
    { type: 'context-field-updated', data: { ...port, legalValues: [{ value: 'a' }] }, preData: port },
  ]),
  write(
    contracts.createStrategyType,
    { name: 'boat', parameters: [] },
    [{ type: 'strategy-created', data: boat }],
    'name-exists',
  ),
  write(contracts.updateStrategyType, { name: 'boat', parameters: [{ name: 'size', type: 'number' }] }, [
    {
      ...{ type: 'strategy-updated', preData: boat },
      data: { ...boat, parameters: [{ name: 'size', type: 'number' }] },
    },
  ]),
  write(contracts.updateTagType, { name: 'simple' }, []),
  write(contracts.updateEnvironment, { name: environment }, []),
  write(contracts.updateFeatureTypeLifetime, { id: 'operational', lifetimeDays: 0 }, [
    { type: 'feature-type-updated', data: lifetime(null), preData: lifetime(7) },
  ]),
  write(
    contracts.createProject,
    { id: 'dock', name: 'Dock' },
    [{ type: 'project-created', project: 'dock', data: dock }],
    'name-exists',
  ),
  write(
    contracts.updateProjectSettings,
    {
      projectId: 'dock',
      featureNaming: { pattern: 'dock.+' },
      linkTemplates: [{ urlTemplate: 'https://example.com' }],
    },
    [
      {
        ...{ type: 'project-updated', project: 'dock', preData: dock },
        data: {
          ...dock,
          featureNaming: { pattern: 'dock.+', example: null, description: null },
          linkTemplates: [{ title: null, urlTemplate: 'https://example.com' }],
        },
      },
    ],
  ),
  write(
    contracts.setDefaultStrategy,
    {
      ...{ projectId: 'dock', environment },
      strategy: { name: 'flexibleRollout', disabled: null, parameters: { ...parameters, rollout: 10 } },
    },
    [
      {
        ...{ type: 'default-strategy-updated', project: 'dock', environment },
        data: {
          ...{ name: 'flexibleRollout', title: null, disabled: false, segments: [], constraints: [], variants: [] },
          parameters,
        },
      },
    ],
  ),
];

function lifetime(lifetimeDays: number | null) {
  return { id: 'operational', name: 'Operational', description: anyText, lifetimeDays };
}
