import type { Feature } from '@yardarm/shared/contracts/flags';
import type { Kysely, Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import type { StoredFeature } from './feature.ts';
import { readFeatureView } from './feature-views.repo.ts';
import { hasProject, lockFeature } from './features.repo.ts';
import { missingFeature, missingProject } from './missing.ts';

/** The flag with its row locked, archived or not. Throws `not-found` naming what is missing, the project or the flag. */
export async function lockedFeature(
  trx: Transaction<FlagsTables>,
  project: string,
  name: string,
): Promise<StoredFeature> {
  return (await lockFeature(trx, project, name)) ?? (await throwMissing(trx, project, name));
}

/** The same for what only a flag in use allows: an archived one is `not-found`. */
export async function lockedLiveFeature(
  trx: Transaction<FlagsTables>,
  project: string,
  name: string,
): Promise<StoredFeature> {
  const feature = await lockedFeature(trx, project, name);
  if (feature.archivedAt !== null) throw missingFeature(project, name);
  return feature;
}

/** The flag as administrators see it. Throws `not-found` naming what is missing, the project or the flag. */
export async function foundFeatureView(db: Kysely<FlagsTables>, project: string, name: string): Promise<Feature> {
  return (await readFeatureView(db, project, name)) ?? (await throwMissing(db, project, name));
}

async function throwMissing(db: Kysely<FlagsTables>, project: string, name: string): Promise<never> {
  throw (await hasProject(db, project)) ? missingFeature(project, name) : missingProject(project);
}
