import { randomUUID } from 'node:crypto';
import { systemActor } from '@yardarm/shared/contracts';
import type { ProjectIncarnation } from '@yardarm/shared/contracts/flags';
import { newTraceparent } from '@yardarm/shared/telemetry';
import { lockProjectAccess } from '../project-access/project-access.repo.ts';
import type { AccountsResources } from '../resources.ts';
import { beginIncarnation } from './follow-projects.ts';
import { findProjectsBehind } from './projects.repo.ts';

/**
 * Removes the access to earlier incarnations of these projects, whose deletion accounts has not heard of yet. A grant
 * calls it before its transaction, which then finds only access to the project as it is.
 */
export async function catchUp(
  { db, bus }: Pick<AccountsResources, 'db' | 'bus'>,
  projects: readonly ProjectIncarnation[],
) {
  const behind = projects.length === 0 ? [] : await findProjectsBehind(db.kysely, projects);
  for (const project of behind) {
    await db.transaction(async (trx) => {
      await lockProjectAccess(trx, project.id);
      const origin = { actor: systemActor, requestId: randomUUID(), traceparent: newTraceparent() };
      await beginIncarnation(trx, bus, project, origin);
    });
  }
}
