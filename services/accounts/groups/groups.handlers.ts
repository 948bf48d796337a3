import { splitIntoPieces } from '@yardarm/shared/bus';
import type { Group } from '@yardarm/shared/contracts/accounts';
import type { AccountsResources } from '../resources.ts';
import { groupNotFound, toGroup } from './group.ts';
import { findGroup, findGroups, findMembers } from './groups.repo.ts';

const snapshot = { isolation: 'repeatable read', readOnly: true } as const;

/** All groups with their members. A group with more members than fit in a message is sent in several parts. */
export async function* listGroups({ db }: AccountsResources): AsyncGenerator<{ groups: Group[] }> {
  const { groups, members } = await db.transaction(
    async (trx) => ({
      groups: await findGroups(trx),
      members: Map.groupBy(await findMembers(trx), ({ groupId }) => groupId),
    }),
    snapshot,
  );
  const parts = groups.flatMap((group) => partsOf(toGroup(group, members.get(group.id) ?? [])));
  for (const piece of splitIntoPieces(parts)) yield { groups: piece };
}

/** One group, in one part or several. */
export async function* getGroup({ db }: AccountsResources, { groupId }: { groupId: number }): AsyncGenerator<Group> {
  const group = await db.transaction(async (trx) => {
    const stored = await findGroup(trx, groupId);
    if (!stored) throw groupNotFound(groupId);
    return toGroup(stored, await findMembers(trx, stored.id));
  }, snapshot);
  yield* partsOf(group);
}

function partsOf(group: Group): Group[] {
  if (group.users.length === 0) return [group];
  return splitIntoPieces(group.users).map((users) => ({ ...group, users }));
}
