import type { ServedContext } from '@yardarm/shared/bus';
import type { VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { Kysely, Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import { projectNotFound } from '../places/projects/project.ts';
import { hasProject } from '../places/projects/projects.repo.ts';
import { featureNotFound, type StoredFeature } from './feature.ts';
import { findFeature } from './feature-views.repo.ts';
import { lockFeatures } from './features.repo.ts';

// Each function throws `not-found` that names what is missing: the project or the flag.

export async function lockLiveFeature(
  trx: Transaction<FlagsTables>,
  project: string,
  name: string,
): Promise<StoredFeature> {
  const found = await requireFeature(trx, project, name, (await lockFeatures(trx, [name])).get(name));
  if (found.archivedAt !== null) throw featureNotFound(name, project);
  return found;
}

/** A flag that the caller has locked, archived or not. */
export async function requireFeature(
  db: Kysely<FlagsTables>,
  project: string,
  name: string,
  feature: StoredFeature | undefined,
): Promise<StoredFeature> {
  if (feature?.project === project) return feature;
  return await throwMissing(db, project, name);
}

/** The flag as the caller sees it, archived or not. */
export async function requireFeatureView(
  db: Kysely<FlagsTables>,
  project: string,
  name: string,
  { actor }: Pick<ServedContext, 'actor'>,
): Promise<VersionedFeature> {
  return (await findFeature(db, project, name, actor?.id ?? null)) ?? (await throwMissing(db, project, name));
}

async function throwMissing(db: Kysely<FlagsTables>, project: string, name: string): Promise<never> {
  throw (await hasProject(db, project)) ? featureNotFound(name, project) : projectNotFound(project);
}
