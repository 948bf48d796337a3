import * as contracts from '@yardarm/shared/contracts/flags';
import { anyNumber, anyTime, environment, flagData, projectId, segmentData, type Write, write } from './write.ts';

const staging = {
  ...{ name: 'staging', type: 'preproduction', sortOrder: 3, enabled: true, protected: false },
  ...{ requiredApprovals: null, createdAt: anyTime },
};
const strategy = { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'default', groupId: '' } };
const defaultStrategy = { ...strategy, title: null, disabled: false, segments: [], constraints: [], variants: [] };
const half = { ...defaultStrategy, parameters: { ...strategy.parameters, rollout: '40' } };

const environmentWrites: readonly Write[] = [
  write(
    contracts.createEnvironment,
    { name: 'staging', type: 'preproduction' },
    [{ type: 'environment-created', environment: 'staging', data: staging }],
    'name-exists',
  ),
  write(contracts.updateEnvironment, { name: 'staging', type: 'test' }, [
    {
      ...{ type: 'environment-updated', environment: 'staging' },
      ...{ data: { ...staging, type: 'test' }, preData: staging },
    },
  ]),
  write(contracts.sortEnvironments, { sortOrders: { staging: 9, development: 1 } }, [
    {
      ...{ type: 'environment-updated', environment: 'staging' },
      ...{ data: { ...staging, type: 'test', sortOrder: 9 }, preData: { ...staging, type: 'test' } },
    },
  ]),
  ...[false, true].map((enabled) =>
    write(contracts.enableEnvironment, { name: 'staging', enabled }, [
      {
        ...{ type: 'environment-updated', environment: 'staging' },
        data: { ...staging, type: 'test', sortOrder: 9, enabled },
        preData: { ...staging, type: 'test', sortOrder: 9, enabled: !enabled },
      },
    ]),
  ),
  write(
    contracts.addProjectEnvironment,
    { projectId, environment: 'staging', defaultStrategy: strategy },
    [
      { type: 'project-environment-added', project: projectId, environment: 'staging' },
      { type: 'default-strategy-updated', project: projectId, environment: 'staging', data: defaultStrategy },
    ],
    'name-exists',
  ),
  write(
    contracts.setDefaultStrategy,
    { projectId, environment: 'staging', strategy: { ...strategy, parameters: half.parameters } },
    [
      {
        ...{ type: 'default-strategy-updated', project: projectId, environment: 'staging' },
        ...{ data: half, preData: defaultStrategy },
      },
    ],
  ),
  write(
    contracts.removeProjectEnvironment,
    { projectId, environment: 'staging' },
    [{ type: 'project-environment-removed', project: projectId, environment: 'staging' }],
    'not-found',
  ),
  write(
    contracts.deleteEnvironment,
    { name: 'staging' },
    [
      {
        ...{ type: 'environment-deleted', environment: 'staging' },
        preData: { ...staging, type: 'test', sortOrder: 9 },
      },
    ],
    'not-found',
  ),
  write(
    contracts.cloneEnvironment,
    { name: environment, clone: { name: 'copy', type: 'test', projects: [projectId] } },
    [
      {
        ...{ type: 'environment-created', environment: 'copy' },
        data: { ...staging, name: 'copy', type: 'test', sortOrder: anyNumber },
      },
      { type: 'project-environment-added', project: projectId, environment: 'copy' },
    ],
    'name-exists',
  ),
  write(
    contracts.removeProjectEnvironment,
    { projectId, environment: 'copy' },
    [
      {
        ...{ type: 'project-environment-removed', project: projectId, environment: 'copy' },
        preData: { features: anyNumber, strategies: anyNumber },
      },
    ],
    'not-found',
  ),
];

const shop = {
  ...{ id: 'shop', name: 'Shop', description: null, defaultStickiness: 'default', mode: 'open' },
  ...{ changeRequestEnvironments: [], featureLimit: null, featureNaming: null },
  ...{ linkTemplates: [], createdAt: anyTime },
};
const renamed = { ...shop, name: 'Web shop' };
const limited = { ...renamed, featureLimit: 9 };
const ofShop = { projectId: 'shop' };
const sold = { name: 'sold', project: 'shop' };
const moved = flagData('sold', { project: 'shop', archived: true, archivedAt: anyTime });

const projectWrites: readonly Write[] = [
  write(
    contracts.createProject,
    { id: 'shop', name: 'Shop', environments: ['development', 'production'] },
    [{ type: 'project-created', project: 'shop', data: shop }],
    'name-exists',
  ),
  write(contracts.updateProject, { ...ofShop, name: 'Web shop' }, [
    { type: 'project-updated', project: 'shop', data: renamed, preData: shop },
  ]),
  write(contracts.updateProjectSettings, { ...ofShop, featureLimit: 9 }, [
    { type: 'project-updated', project: 'shop', data: limited, preData: renamed },
  ]),
  write(contracts.addFavoriteProject, ofShop, [
    { type: 'project-favorited', project: 'shop', data: { project: 'shop' } },
  ]),
  write(contracts.removeFavoriteProject, ofShop, [
    { type: 'project-unfavorited', project: 'shop', data: { project: 'shop' } },
  ]),
  write(
    contracts.createFeature,
    { projectId, name: 'sold' },
    [{ type: 'feature-created', project: projectId, featureName: 'sold', data: flagData('sold') }],
    'name-exists',
  ),
  write(
    contracts.changeProject,
    { projectId, featureName: 'sold', newProjectId: 'shop' },
    [
      {
        ...{ type: 'feature-project-change', project: 'shop', featureName: 'sold' },
        data: { newProject: 'shop', oldProject: projectId },
      },
    ],
    'not-found',
  ),
  write(contracts.archiveFeature, { ...ofShop, featureName: 'sold' }, [
    { type: 'feature-archived', project: 'shop', featureName: 'sold' },
  ]),
  write(contracts.archiveProject, ofShop, [{ type: 'project-archived', project: 'shop' }]),
  write(contracts.reviveProject, ofShop, [{ type: 'project-revived', project: 'shop' }]),
  write(
    contracts.createSegment,
    { name: 'buyers', project: 'shop', constraints: [] },
    [{ type: 'segment-created', project: 'shop', data: segmentData('buyers', { project: 'shop' }) }],
    'name-exists',
  ),
  write(
    contracts.createContextFieldOfProject,
    { ...ofShop, name: 'basket' },
    [{ type: 'context-field-created', project: 'shop', data: basket() }],
    'name-exists',
  ),
  write(
    contracts.deleteProject,
    ofShop,
    [
      { type: 'feature-deleted', project: 'shop', featureName: sold.name, preData: moved },
      { type: 'segment-deleted', project: 'shop', preData: segmentData('buyers', { project: 'shop' }) },
      { type: 'context-field-deleted', project: 'shop', preData: basket() },
      { type: 'project-deleted', project: 'shop', preData: limited },
    ],
    'not-found',
  ),
];

function basket() {
  return {
    ...{ name: 'basket', description: null, stickiness: false, sortOrder: 0, legalValues: [], project: 'shop' },
  };
}

export const placeWrites: readonly Write[] = [...environmentWrites, ...projectWrites];
