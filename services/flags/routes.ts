import {
  addStrategy as addStrategyContract,
  createFeature as createFeatureContract,
  fetchSnapshot as fetchSnapshotContract,
  findMissingPlaces as findMissingPlacesContract,
  getFeature as getFeatureContract,
  listEnvironmentNames as listEnvironmentNamesContract,
  listFeatures as listFeaturesContract,
  listProjectIds as listProjectIdsContract,
  listRevisions as listRevisionsContract,
  patchFeature as patchFeatureContract,
  switchEnvironment as switchEnvironmentContract,
} from '@yardarm/shared/contracts/flags';
import { serveOutbox } from '@yardarm/shared/db';
import type { FlagsResources } from './changes/record-change.ts';
import { findEnvironmentNames } from './environments/environments.repo.ts';
import { switchEnvironment } from './environments/switch-environment.ts';
import { createFeature } from './features/create-feature.ts';
import { listFeatures } from './features/features.handlers.ts';
import { getFeature } from './features/find-feature.ts';
import { patchFeatures } from './features/patch-feature.ts';
import { findMissingPlaces, listProjectIds } from './projects/projects.handlers.ts';
import { fetchSnapshot, listRevisions } from './snapshots/snapshots.handlers.ts';
import { addStrategy } from './strategies/add-strategy.ts';

/** Everything the service answers. */
export function serve(parts: FlagsResources): void {
  const { bus, db } = parts;
  bus.serve(createFeatureContract, (input, context) => createFeature(parts, input, context));
  bus.serve(getFeatureContract, (input) => getFeature(db.kysely, input.projectId, input.featureName));
  bus.serveMany(listFeaturesContract, (input) => listFeatures(db.kysely, input));
  bus.serve(patchFeatureContract, patchFeatures(parts));
  bus.serve(addStrategyContract, (input, context) => addStrategy(parts, input, context));
  bus.serve(switchEnvironmentContract, (input, context) => switchEnvironment(parts, input, context));
  bus.serve(listEnvironmentNamesContract, async () => ({ environments: await findEnvironmentNames(db.kysely) }));
  bus.serveMany(listProjectIdsContract, () => listProjectIds(db.kysely));
  bus.serve(findMissingPlacesContract, (input) => findMissingPlaces(db.kysely, input));
  bus.serve(listRevisionsContract, () => listRevisions(db.kysely));
  bus.serveMany(fetchSnapshotContract, (input) => fetchSnapshot(db.kysely, input));
  serveOutbox(bus, db);
}
