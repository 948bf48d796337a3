import { type Bus, type RequestContext, requestBeforeChange } from '@yardarm/shared/bus';
import { findMissingProjectsAndEnvironments, type Incarnation } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { lockIncarnations } from '../incarnations/incarnations.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { lockProjectAccess } from './project-access.repo.ts';
import { projectNotFound } from './project-access.ts';

/** Throws `not-found` unless flags knows the project. Call it before a transaction, never within one. */
export async function requireProject(bus: Bus, id: string, context: RequestContext): Promise<Incarnation> {
  const { found } = await requestBeforeChange(context, (inner) =>
    bus.request(findMissingProjectsAndEnvironments, { projects: [id], environments: [] }, inner),
  );
  const [project] = found;
  if (!project) throw projectNotFound(id);
  return project;
}

/**
 * Runs a change of the access to a project, with that access and the project locked. Throws `not-found` when the
 * project was deleted, also after flags was asked.
 */
export async function changeAccess(
  { db, bus }: AccountsResources,
  projectId: string,
  context: RequestContext,
  change: (trx: Transaction<AccountsTables>) => Promise<void>,
): Promise<void> {
  const project = await requireProject(bus, projectId, context);
  await db.transaction(async (trx) => {
    await lockProjectAccess(trx, projectId);
    const gone = await lockIncarnations(trx, [project]);
    if (gone.projects.length > 0) throw projectNotFound(projectId);
    await change(trx);
  });
}
