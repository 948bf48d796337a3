import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { findMissingProjectsAndEnvironments } from '@yardarm/shared/contracts/flags';
import { projectNotFound } from './project-access.ts';

/** Throws `not-found` unless flags knows the project. Call it before a transaction, never within one. */
export async function requireProject(bus: Bus, projectId: string, context: RequestContext): Promise<void> {
  const missing = await bus.request(
    findMissingProjectsAndEnvironments,
    { projects: [projectId], environments: [] },
    context,
  );
  if (missing.projects.length > 0) throw projectNotFound(projectId);
}
