import { inPieces } from '@yardarm/shared/bus';
import type { Group } from '@yardarm/shared/contracts/accounts';
import type { AccountsResources } from '../resources.ts';
import { groupNotFound, toGroup } from './group.ts';
import { findGroup, findGroups, findMembers } from './groups.repo.ts';

const oneMoment = { isolation: 'repeatable read', readOnly: true } as const;

/** Every group with its members. One that has more members than a message carries comes in several parts, one after the other. */
export async function* listGroups({ db }: AccountsResources): AsyncGenerator<{ groups: Group[] }> {
  const { groups, members } = await db.transaction(
    async (trx) => ({
      groups: await findGroups(trx),
      members: Map.groupBy(await findMembers(trx), ({ groupId }) => groupId),
    }),
    oneMoment,
  );
  const parts = groups.flatMap((group) => partsOf(toGroup(group, members.get(group.id) ?? [])));
  for (const piece of inPieces(parts)) yield { groups: piece };
}

/** One group, in as many parts as its members need. */
export async function* getGroup({ db }: AccountsResources, { groupId }: { groupId: number }): AsyncGenerator<Group> {
  const group = await db.transaction(async (trx) => {
    const stored = await findGroup(trx, groupId);
    if (!stored) throw groupNotFound(groupId);
    return toGroup(stored, await findMembers(trx, stored.id));
  }, oneMoment);
  yield* partsOf(group);
}

/** The group as often as its members need, each time with some of them. */
function partsOf(group: Group): Group[] {
  if (group.users.length === 0) return [group];
  return inPieces(group.users).map((users) => ({ ...group, users }));
}
