import type { Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { projectNotFound } from '../../places/projects/project.ts';
import { hasProject } from '../../places/projects/projects.repo.ts';
import type { StoredFeature } from '../feature.ts';
import { lockFeatures } from '../features.repo.ts';
import { areInOtherProjects } from './archive.ts';

/**
 * Locks flags of a project, archived or not, and returns them by name. Names of no flag are ignored, as in the public
 * product. Throws `not-found` for an unknown project, and `operation-denied` for flags of other projects.
 */
export async function lockFeaturesOf(
  trx: Transaction<FlagsTables>,
  project: string,
  names: readonly string[],
): Promise<StoredFeature[]> {
  if (!(await hasProject(trx, project))) throw projectNotFound(project);
  const features = [...(await lockFeatures(trx, names)).values()];
  const others = features.filter((feature) => feature.project !== project);
  if (others.length > 0) {
    throw areInOtherProjects(
      others.map(({ name }) => name),
      project,
    );
  }
  return features;
}
