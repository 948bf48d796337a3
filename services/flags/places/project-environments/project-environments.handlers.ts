import type {
  configureChangeRequests as configuration,
  listProjectEnvironments as contract,
  ProjectEnvironment,
} from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { FlagsResources } from '../../resources.ts';
import { environmentNotFound } from '../environments/environment.ts';
import { projectNotFound } from '../projects/project.ts';
import { hasProject } from '../projects/projects.repo.ts';
import { findDefaultStrategies, findProjectEnvironments } from './project-environments.repo.ts';

export async function listProjectEnvironments(
  { db }: FlagsResources,
  { projectId }: z.output<typeof contract.input>,
): Promise<{ environments: ProjectEnvironment[] }> {
  if (!(await hasProject(db.kysely, projectId))) throw projectNotFound(projectId);
  const environments = (await findProjectEnvironments(db.kysely, projectId)).map(({ defaultStrategy, ...rest }) => ({
    ...rest,
    ...(defaultStrategy && { defaultStrategy }),
  }));
  return { environments };
}

/** Terraform and scripts write the configuration of each environment, also where it asks for nothing. */
export async function configureChangeRequests(
  { db }: FlagsResources,
  { projectId, environment, changeRequestsEnabled }: z.output<typeof configuration.input>,
): Promise<void> {
  if (!(await hasProject(db.kysely, projectId))) throw projectNotFound(projectId);
  const found = await findDefaultStrategies(db.kysely, projectId, environment);
  if (!found.has(environment)) throw environmentNotFound(environment, projectId);
  if (changeRequestsEnabled)
    throw new AppError('conflict', 'Yardarm has no change requests, so .changeRequestsEnabled can only be false.');
}
