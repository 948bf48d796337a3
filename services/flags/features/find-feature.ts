import type { Feature } from '@yardarm/shared/contracts/flags';
import type { Kysely, Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import type { StoredFeature } from './feature.ts';
import { findFeature } from './feature-views.repo.ts';
import { hasProject, lockFeatures } from './features.repo.ts';
import { featureNotFound, projectNotFound } from './not-found.ts';

/** A flag that is in use, with its row locked. Throws `not-found` naming what is missing, the project or the flag. */
export async function lockLiveFeature(
  trx: Transaction<FlagsTables>,
  project: string,
  name: string,
): Promise<StoredFeature> {
  const feature = await requireFeature(trx, project, name, (await lockFeatures(trx, [name])).get(name));
  if (feature.archivedAt !== null) throw featureNotFound(project, name);
  return feature;
}

/** The flag if it is one of the project. Throws `not-found` naming what is missing, the project or the flag. */
export async function requireFeature(
  db: Kysely<FlagsTables>,
  project: string,
  name: string,
  feature: StoredFeature | undefined,
): Promise<StoredFeature> {
  if (feature?.project === project) return feature;
  return await throwMissing(db, project, name);
}

/** The flag as administrators see it. Throws `not-found` naming what is missing, the project or the flag. */
export async function getFeature(db: Kysely<FlagsTables>, project: string, name: string): Promise<Feature> {
  return (await findFeature(db, project, name)) ?? (await throwMissing(db, project, name));
}

async function throwMissing(db: Kysely<FlagsTables>, project: string, name: string): Promise<never> {
  throw (await hasProject(db, project)) ? featureNotFound(project, name) : projectNotFound(project);
}
