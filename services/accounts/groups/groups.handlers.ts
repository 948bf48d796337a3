import type { Group } from '@yardarm/shared/contracts/accounts';
import type { AccountsResources } from '../resources.ts';
import { groupNotFound, toGroup } from './group.ts';
import { findGroup, findGroups, findMembers } from './groups.repo.ts';

const snapshot = { isolation: 'repeatable read', readOnly: true } as const;

export async function listGroups({ db }: AccountsResources): Promise<{ groups: Group[] }> {
  const { groups, members } = await db.transaction(
    async (trx) => ({
      groups: await findGroups(trx),
      members: Map.groupBy(await findMembers(trx), ({ groupId }) => groupId),
    }),
    snapshot,
  );
  return { groups: groups.map((group) => toGroup(group, members.get(group.id) ?? [])) };
}

export async function getGroup({ db }: AccountsResources, { groupId }: { groupId: number }): Promise<Group> {
  return await db.transaction(async (trx) => {
    const stored = await findGroup(trx, groupId);
    if (!stored) throw groupNotFound(groupId);
    return toGroup(stored, await findMembers(trx, stored.id));
  }, snapshot);
}
