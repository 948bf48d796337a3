import { splitIntoPieces } from '@yardarm/shared/bus';
import type { ProjectIncarnation } from '@yardarm/shared/contracts/flags';
import { findMissingEnvironments } from '../environments/environments.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { projectExists } from './project.ts';
import { findProjectIds, findProjectIncarnations, hasProject } from './projects.repo.ts';

export async function* listProjectIds({ db }: FlagsResources): AsyncGenerator<{ projects: string[] }> {
  for (const projects of splitIntoPieces(await findProjectIds(db.kysely))) yield { projects };
}

export async function findMissingProjectsAndEnvironments(
  { db }: FlagsResources,
  asked: { projects: string[]; environments: string[] },
): Promise<{ projects: string[]; environments: string[]; found: ProjectIncarnation[] }> {
  const [found, environments] = await Promise.all([
    findProjectIncarnations(db.kysely, asked.projects),
    findMissingEnvironments(db.kysely, asked.environments),
  ]);
  const ids = new Set(found.map(({ id }) => id));
  return {
    projects: asked.projects.filter((id) => !ids.has(id)),
    environments,
    found: found.map(({ id, createdAt }) => ({ id, createdAt: createdAt.toISOString() })),
  };
}

export async function validateProject({ db }: FlagsResources, { id }: { id: string }): Promise<void> {
  if (await hasProject(db.kysely, id)) throw projectExists(id);
}
