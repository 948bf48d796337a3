import type { Incarnation } from '@yardarm/shared/contracts/flags';
import type { FlagsResources } from '../../resources.ts';
import { findIncarnations } from '../incarnations/incarnations.repo.ts';
import { projectExists } from './project.ts';
import { findProjectIds, hasProject } from './projects.repo.ts';

export async function listProjectIds({ db }: FlagsResources): Promise<{ projects: string[] }> {
  return { projects: await findProjectIds(db.kysely) };
}

export async function findMissingProjectsAndEnvironments(
  { db }: FlagsResources,
  asked: { projects: string[]; environments: string[] },
): Promise<{ projects: string[]; environments: string[]; found: Incarnation[] }> {
  const found = await findIncarnations(db.kysely, asked);
  const isMissing = (kind: Incarnation['kind']) => {
    const ids = new Set(found.flatMap((each) => (each.kind === kind ? [each.id] : [])));
    return (id: string) => !ids.has(id);
  };
  return {
    projects: asked.projects.filter(isMissing('project')),
    environments: asked.environments.filter(isMissing('environment')),
    found,
  };
}

export async function validateProject({ db }: FlagsResources, { id }: { id: string }): Promise<void> {
  if (await hasProject(db.kysely, id)) throw projectExists(id);
}
