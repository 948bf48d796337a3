import type { listProjectEnvironments as contract, ProjectEnvironment } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { FlagsResources } from '../../resources.ts';
import { projectNotFound } from '../projects/project.ts';
import { hasProject } from '../projects/projects.repo.ts';
import { findProjectEnvironments } from './project-environments.repo.ts';

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
