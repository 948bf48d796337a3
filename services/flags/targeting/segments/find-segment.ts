import { requirePermission } from '@yardarm/shared/auth';
import type { Actor, Permission } from '@yardarm/shared/contracts';
import type { Transaction } from '@yardarm/shared/db';
import { badProperty } from '@yardarm/shared/errors';
import type { FlagsTables } from '../../db/schema.ts';
import { lockProjects } from '../../places/projects/projects.repo.ts';
import { type StoredSegment, segmentNotFound } from './segment.ts';
import { lockSegment } from './segments.repo.ts';

type Trx = Transaction<FlagsTables>;

/** The permission for all segments suffices, and for a segment of a project also the project's own. */
export function requireSegmentPermission(actor: Actor, permission: Permission, project: string | null): void {
  if (project === null) requirePermission(actor, permission);
  else requirePermission(actor, [permission, 'UPDATE_PROJECT_SEGMENT'], { project });
}

/** Locks a segment that the actor may change. An actor without the permission learns nothing of unknown ids. */
export async function requireSegment(
  trx: Trx,
  id: number,
  actor: Actor,
  permission: Permission,
): Promise<StoredSegment> {
  const segment = await lockSegment(trx, id);
  requireSegmentPermission(actor, permission, segment?.project ?? null);
  if (!segment) throw segmentNotFound(id);
  return segment;
}

/** Locks the project that a segment is for, so that it is neither archived nor deleted until the commit. */
export async function lockProjectOfSegment(trx: Trx, project: string | null): Promise<void> {
  if (project === null) return;
  const found = (await lockProjects(trx, [project], 'share')).get(project);
  if (found && found.archivedAt === null) return;
  throw badProperty(['project'], project, 'should be a project that is not archived');
}
