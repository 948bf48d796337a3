import type { Bus } from '@yardarm/shared/bus';
import { tokenChangedHint } from '@yardarm/shared/contracts/accounts';
import { appendEvents, type EventOrigin, type Transaction } from '@yardarm/shared/db';
import { apiTokenEventData, apiTokenPlace } from '../api-tokens/api-token.ts';
import { lockApiTokensOfProject, removeProjectFromTokens, retireApiTokens } from '../api-tokens/api-tokens.repo.ts';
import type { AccountsTables } from '../db/schema.ts';
import { findMemberIds } from '../groups/groups.repo.ts';
import { deleteRolesOfProject } from '../project-access/project-access.repo.ts';
import { type HolderKind, projectAccessOrderingKey, rolesEventData } from '../project-access/project-access.ts';
import { hintAccessChanged } from '../roles/hint-access-changed.ts';

/**
 * Removes the roles of users and groups in a project, and the project from SDK tokens. A token that names no other
 * project is deleted. The caller has locked the access to the project and its row.
 */
export async function removeProjectAccess(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  project: string,
  origin: EventOrigin,
): Promise<void> {
  const users = await deleteRolesOfProject(trx, 'user', project);
  const groups = await deleteRolesOfProject(trx, 'group', project);
  const revoked = (kind: HolderKind, holders: readonly { id: number; roles: number[] }[]) =>
    holders.map(({ id, roles }) => ({
      type: `project-access-${kind}-roles-deleted` as const,
      project,
      preData: rolesEventData(kind, id, roles),
      orderingKey: projectAccessOrderingKey(project),
      ...origin,
    }));
  appendEvents(trx, [...revoked('user', users), ...revoked('group', groups)]);
  const members = await findMemberIds(
    trx,
    groups.map(({ id }) => id),
  );
  hintAccessChanged(trx, bus, [...users.map(({ id }) => id), ...members]);
  await removeFromTokens(trx, bus, project, origin);
}

/** A token that loses its last project is deleted: without projects it would be no token of anything. */
async function removeFromTokens(
  trx: Transaction<AccountsTables>,
  bus: Bus,
  project: string,
  origin: EventOrigin,
): Promise<void> {
  const tokens = await lockApiTokensOfProject(trx, project);
  const changes = tokens.map((before) => {
    const projects = before.projects.filter((each) => each !== project);
    return { before, after: projects.length === 0 ? null : { ...before, projects } };
  });
  await retireApiTokens(
    trx,
    changes.filter(({ after }) => after === null).map(({ before }) => before),
  );
  await removeProjectFromTokens(trx, project);
  appendEvents(
    trx,
    changes.map(({ before, after }) => ({
      type: after === null ? ('api-token-deleted' as const) : ('api-token-updated' as const),
      data: after && apiTokenEventData(after),
      preData: apiTokenEventData(before),
      ...apiTokenPlace(before),
      ...origin,
    })),
  );
  trx.onCommit(() => {
    for (const { selector } of tokens) bus.hint(tokenChangedHint, { selector });
  });
}
