import { inPieces } from '@yardarm/shared/bus';
import type { Kysely } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import { findMissingEnvironments } from '../environments/environments.repo.ts';
import { findMissingProjects, findProjectIds } from './projects.repo.ts';

/** The ids of all projects. */
export async function* listProjectIds(db: Kysely<FlagsTables>): AsyncGenerator<{ projects: string[] }> {
  for (const projects of inPieces(await findProjectIds(db))) yield { projects };
}

/** Which of these projects and environments do not exist. */
export async function findMissingPlaces(
  db: Kysely<FlagsTables>,
  asked: { projects: string[]; environments: string[] },
): Promise<{ projects: string[]; environments: string[] }> {
  const [projects, environments] = await Promise.all([
    findMissingProjects(db, asked.projects),
    findMissingEnvironments(db, asked.environments),
  ]);
  return { projects, environments };
}
