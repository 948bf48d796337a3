import type { Transaction } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';
import { lockProject } from '../projects/find-project.ts';
import { projectArchived } from '../projects/project.ts';

/**
 * Locks a project whose environments or their settings change. Until the commit no flag is added to it. Throws
 * `not-found` for a project that does not exist or is archived.
 */
export async function lockProjectForEnvironments(trx: Transaction<FlagsTables>, id: string): Promise<void> {
  const { archivedAt } = await lockProject(trx, id);
  if (archivedAt !== null) throw projectArchived(id);
}
