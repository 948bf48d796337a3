import { type EncodedAnswer, encodeAnswer, encodeTexts, type Frame, type ServedContext } from '@yardarm/shared/bus';
import { getGroup as getGroupContract, listGroups as listGroupsContract } from '@yardarm/shared/contracts/accounts';
import { TimeSlicer } from '@yardarm/shared/waiting';
import { runLongRead } from '../long-reads.ts';
import type { AccountsResources } from '../resources.ts';
import { groupNotFound, groupText, toGroup, toMember } from './group.ts';
import { findGroup, findGroups, findMembers } from './groups.repo.ts';

const snapshot = { isolation: 'repeatable read', readOnly: true } as const;

/** In slices: a hundred thousand members would take a second, in which no token is resolved. */
export async function* listGroups({ db }: AccountsResources, _: object, context: ServedContext): AsyncGenerator<Frame> {
  const { texts, first } = await runLongRead(context, async () => {
    const { groups, members } = await db.transaction(
      async (trx) => ({
        groups: await findGroups(trx),
        members: await findMembers(trx),
      }),
      snapshot,
    );
    const slicer = new TimeSlicer(context);
    const made: string[] = [];
    for (const group of groups) {
      const users = await slicer.map(members.get(group.id) ?? [], (member) => JSON.stringify(toMember(member)));
      made.push(groupText(group, users));
    }
    const [group] = groups;
    const [member] = group === undefined ? [] : (members.get(group.id) ?? []);
    const first = group && toGroup(group, member ? [toMember(member)] : []);
    return { texts: made, first };
  });
  yield* encodeTexts(listGroupsContract, texts, first);
}

export function getGroup(
  { db }: AccountsResources,
  { groupId }: { groupId: number },
  context: ServedContext,
): Promise<EncodedAnswer> {
  return runLongRead(context, async () => {
    const { stored, members } = await db.transaction(async (trx) => {
      const stored = await findGroup(trx, groupId);
      if (!stored) throw groupNotFound(groupId);
      return { stored, members: (await findMembers(trx, stored.id)).get(stored.id) ?? [] };
    }, snapshot);
    const slicer = new TimeSlicer(context);
    const group = toGroup(stored, await slicer.map(members, toMember));
    return await encodeAnswer(getGroupContract, group, () => slicer.next());
  });
}
