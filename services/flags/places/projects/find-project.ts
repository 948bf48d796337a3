import type { Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../../db/schema.ts';
import { projectArchived, projectNotFound, type StoredProject } from './project.ts';
import { lockProjects } from './projects.repo.ts';

type Trx = Transaction<FlagsTables>;

/**
 * Locks a project that something is added to, so that it is neither archived nor deleted until the commit. Others may
 * share the lock. With `update` no other transaction shares it, and nothing is added to the project meanwhile. Throws
 * `not-found` for a project that does not exist or is archived.
 */
export async function requireOpenProject(
  trx: Trx,
  id: string,
  mode: 'share' | 'update' = 'share',
): Promise<StoredProject> {
  return (await requireOpenProjects(trx, [id], mode)).get(id)!;
}

/** The same for several projects, which it locks in the order of their ids. */
export async function requireOpenProjects(
  trx: Trx,
  ids: readonly string[],
  mode: 'share' | 'update' = 'share',
): Promise<Map<string, StoredProject>> {
  const projects = await lockProjects(trx, ids, mode);
  for (const id of ids) requireOpen(projects, id);
  return projects;
}

/** One of the locked projects. Throws as `requireOpenProject` does. */
export function requireOpen(locked: ReadonlyMap<string, StoredProject>, id: string): StoredProject {
  const project = locked.get(id);
  if (project === undefined) throw projectNotFound(id);
  if (project.archivedAt !== null) throw projectArchived(id);
  return project;
}

/** Locks a project for a change of its own row. It may be archived. Throws `not-found` for an unknown one. */
export async function lockProject(trx: Trx, id: string): Promise<StoredProject> {
  const project = (await lockProjects(trx, [id], 'update')).get(id);
  if (project === undefined) throw projectNotFound(id);
  return project;
}
