import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import {
  anyTime,
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

type Changes = Record<string, string | boolean>;

const parent = { feature: 'parent', enabled: true, variants: [] };

const makeFlag = (name: string): Write =>
  write(
    contracts.createFeature,
    { projectId, name },
    ofFlag(name, { type: 'feature-created', data: flagData(name) }),
    'name-exists',
  );

/** A flag is archived when it is deleted. */
function archivedData(name: string) {
  return flagData(name, { archived: true, archivedAt: anyTime });
}

const archive = (name: string) =>
  write(contracts.archiveFeature, { projectId, featureName: name }, ofFlag(name, { type: 'feature-archived' }));

/** The flag is on and depends on `parent`, so that it shows all that its archival and its revival end. */
const withDetails = (featureName: string): Write[] => [
  makeFlag(featureName),
  write(
    contracts.switchEnvironment,
    { projectId, featureName, environment, enabled: true },
    ofFlag(
      featureName,
      { type: 'feature-strategy-add', environment, data: defaultStrategyData(featureName) },
      { type: 'feature-environment-enabled', environment },
    ),
  ),
  write(
    contracts.addDependency,
    { projectId, child: featureName, feature: 'parent' },
    ofFlag(featureName, { type: 'feature-dependency-added', data: parent }),
  ),
];

const archived = (name: string) =>
  ofFlag(
    name,
    { type: 'feature-dependencies-removed', preData: { dependencies: [parent] } },
    { type: 'feature-archived' },
  );
const revived = (name: string) =>
  ofFlag(name, { type: 'feature-environment-disabled', environment }, { type: 'feature-revived' });

/** What a patch and an update do. */
function changesOf(name: string, change: (changes: Changes, emits: ExpectedEvent[], again?: 'not-found') => Write) {
  const described = flagData(name, { description: 'new' });
  return [
    ...withDetails(name),
    change(
      { description: 'new' },
      ofFlag(name, { type: 'feature-metadata-updated', data: described, preData: flagData(name) }),
    ),
    change({ description: 'new', stale: true }, ofFlag(name, { type: 'feature-stale-on' })),
    change({ description: 'new', stale: false }, ofFlag(name, { type: 'feature-stale-off' })),
    change({ description: 'new', archived: true }, archived(name)),
    change({ description: 'new', archived: false }, revived(name)),
  ];
}

const patch = (featureName: string) => (changes: Changes, emits: ExpectedEvent[]) => {
  const operations = Object.entries(changes).map(([name, value]) => ({
    ...{ op: 'replace' as const, path: `/${name}`, value },
  }));
  return write(contracts.patchFeature, { projectId, featureName, operations }, emits);
};

const update = (featureName: string) => (changes: Changes, emits: ExpectedEvent[]) =>
  write(contracts.updateFeature, { projectId, featureName, ...changes }, emits);

const stale = (isStale: boolean) =>
  write(
    contracts.staleFeatures,
    { projectId, features: ['marked'], stale: isStale },
    ofFlag('marked', { type: `feature-stale-${isStale ? 'on' : 'off'}` }),
  );

const favorite = (operation: typeof contracts.addFavoriteFeature, type: ExpectedEvent['type']) =>
  write(operation, { projectId, featureName: 'marked' }, ofFlag('marked', { type, data: { feature: 'marked' } }));

const many = (enabled: boolean, ...added: ExpectedEvent[]) =>
  write(
    contracts.switchFeatures,
    { projectId, environment, features: ['marked'], enabled },
    ofFlag('marked', ...added, { type: `feature-environment-${enabled ? 'enabled' : 'disabled'}`, environment }),
  );

const clonedStrategy = strategyData('clone', {
  ...{ name: 'flexibleRollout', parameters: { rollout: '100', stickiness: 'default', groupId: 'clone' } },
});

export const featureWrites: readonly Write[] = [
  makeFlag('parent'),
  ...changesOf('patched', patch('patched')),
  ...changesOf('updated', update('updated')),
  ...withDetails('alone'),
  write(contracts.archiveFeature, { projectId, featureName: 'alone' }, archived('alone')),
  write(contracts.reviveFeature, { featureName: 'alone' }, revived('alone')),
  ...withDetails('among'),
  write(contracts.archiveFeatures, { projectId, features: ['among'] }, archived('among')),
  write(contracts.reviveFeatures, { projectId, features: ['among'] }, revived('among')),

  makeFlag('marked'),
  stale(true),
  stale(false),
  favorite(contracts.addFavoriteFeature, 'feature-favorited'),
  favorite(contracts.removeFavoriteFeature, 'feature-unfavorited'),
  many(true, { type: 'feature-strategy-add', environment, data: defaultStrategyData('marked') }),
  many(false),
  write(
    contracts.completeFeature,
    { projectId, featureName: 'marked', status: 'kept', statusValue: 'blue' },
    ofFlag('marked', { type: 'feature-completed', data: { status: 'kept', statusValue: 'blue' } }),
  ),
  write(
    contracts.uncompleteFeature,
    { projectId, featureName: 'marked' },
    ofFlag('marked', { type: 'feature-uncompleted' }),
  ),
  write(
    contracts.addDependency,
    { projectId, child: 'marked', feature: 'parent' },
    ofFlag('marked', { type: 'feature-dependency-added', data: parent }),
  ),
  write(
    contracts.cloneFeature,
    { projectId, featureName: 'marked', name: 'clone' },
    ofFlag(
      'clone',
      { type: 'feature-created', data: flagData('clone') },
      { type: 'feature-dependency-added', data: parent },
      { type: 'feature-strategy-add', environment, data: clonedStrategy },
    ),
    'name-exists',
  ),
  write(
    contracts.switchEnvironment,
    { projectId, featureName: 'alone', environment, enabled: true },
    ofFlag('alone', { type: 'feature-environment-enabled', environment }),
  ),
  write(
    contracts.switchEnvironment,
    { projectId, featureName: 'alone', environment, enabled: false },
    ofFlag('alone', { type: 'feature-environment-disabled', environment }),
  ),

  archive('alone'),
  write(
    contracts.deleteFeature,
    { featureName: 'alone' },
    ofFlag('alone', { type: 'feature-deleted', preData: archivedData('alone') }),
    'not-found',
  ),
  archive('among'),
  write(
    contracts.deleteFeatures,
    { projectId, features: ['among'] },
    ofFlag('among', { type: 'feature-deleted', preData: archivedData('among') }),
  ),
  makeFlag('old'),
  {
    operation: 'flags: the job of staleness',
    async send(rig) {
      const job = async () => {
        await sql`update features set created_at = now() - interval '41 days' where name = 'old'`.execute(
          rig.db.kysely,
        );
        await rig.service.processAll();
      };
      await job();
      return job;
    },
    emits: ofFlag('old', { type: 'feature-potentially-stale-on' }),
    again: 'nothing',
  },
];
