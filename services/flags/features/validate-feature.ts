import type { validateFeature as contract } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { checkFeatureName } from '../places/projects/feature-naming.ts';
import { findProject } from '../places/projects/projects.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { featureNameExists } from './feature.ts';
import { findFeatureNames } from './features.repo.ts';

export async function validateFeature(
  { db }: FlagsResources,
  { name, projectId }: z.output<typeof contract.input>,
): Promise<void> {
  const project = projectId === null ? null : await findProject(db.kysely, projectId);
  if (projectId !== null && project === null) {
    const sent = redactValue(projectId, ['projectId']);
    throw new AppError('bad-data', `The .projectId property should be a project. You sent ${sent}.`);
  }
  if (project !== null) checkFeatureName(name, project.featureNaming);
  if ((await findFeatureNames(db.kysely, [name])).has(name)) throw featureNameExists(name);
}
