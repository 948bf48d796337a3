import { splitIntoPieces } from '@yardarm/shared/bus';
import { findMissingEnvironments } from '../environments/environments.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { projectExists } from './project.ts';
import { findMissingProjects, findProjectIds, hasProject } from './projects.repo.ts';

export async function* listProjectIds({ db }: FlagsResources): AsyncGenerator<{ projects: string[] }> {
  for (const projects of splitIntoPieces(await findProjectIds(db.kysely))) yield { projects };
}

export async function findMissingProjectsAndEnvironments(
  { db }: FlagsResources,
  asked: { projects: string[]; environments: string[] },
): Promise<{ projects: string[]; environments: string[] }> {
  const [projects, environments] = await Promise.all([
    findMissingProjects(db.kysely, asked.projects),
    findMissingEnvironments(db.kysely, asked.environments),
  ]);
  return { projects, environments };
}

export async function validateProject({ db }: FlagsResources, { id }: { id: string }): Promise<void> {
  if (await hasProject(db.kysely, id)) throw projectExists(id);
}
