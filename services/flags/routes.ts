import { serveUseCases } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/flags';
import { serveOutbox } from '@yardarm/shared/db';
import { listEnvironmentNames } from './environments/environments.handlers.ts';
import { switchEnvironment } from './environments/switch-environment.ts';
import { createFeature } from './features/create-feature.ts';
import { getFeature, listFeatures } from './features/features.handlers.ts';
import { patchFeature } from './features/patch-feature.ts';
import { findMissingProjectsAndEnvironments, listProjectIds } from './projects/projects.handlers.ts';
import type { FlagsResources } from './resources.ts';
import { fetchSnapshot, listRevisions } from './snapshots/snapshots.handlers.ts';
import { addStrategy } from './strategies/add-strategy.ts';

export function serveFlags(resources: FlagsResources): void {
  const { serve, serveMany } = serveUseCases(resources);
  serve(contracts.createFeature, createFeature);
  serve(contracts.getFeature, getFeature);
  serveMany(contracts.listFeatures, listFeatures);
  serve(contracts.patchFeature, patchFeature);
  serve(contracts.addStrategy, addStrategy);
  serve(contracts.switchEnvironment, switchEnvironment);
  serve(contracts.listEnvironmentNames, listEnvironmentNames);
  serveMany(contracts.listProjectIds, listProjectIds);
  serve(contracts.findMissingProjectsAndEnvironments, findMissingProjectsAndEnvironments);
  serve(contracts.listRevisions, listRevisions);
  serveMany(contracts.fetchSnapshot, fetchSnapshot);
  serveOutbox(resources.bus, resources.db);
}
