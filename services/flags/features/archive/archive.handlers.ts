import type { validateArchiveFeatures as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { projectNotFound } from '../../places/projects/project.ts';
import { hasProject } from '../../places/projects/projects.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { findRelatedFeatures } from './archive.repo.ts';

/** As in the public product, a flag that others depend on also counts as one whose dependencies would be removed. */
export async function validateArchiveFeatures(
  { db }: FlagsResources,
  { projectId, features: names }: z.output<typeof contract.input>,
): Promise<z.output<typeof contract.output>> {
  if (!(await hasProject(db.kysely, projectId))) throw projectNotFound(projectId);
  const related = await findRelatedFeatures(db.kysely, projectId, names);
  return {
    parentsWithChildFeatures: related.flatMap(({ name, hasOtherChildren }) => (hasOtherChildren ? name : [])),
    hasDeletedDependencies: related.length > 0,
  };
}
