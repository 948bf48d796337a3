import { isDeepStrictEqual } from 'node:util';
import type { ServedContext } from '@yardarm/shared/bus';
import type { updateTagType as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import { hasGrown, requireRoom } from '../../places/limits/room.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { tagTypeEventData, tagTypeNotFound, tagTypeOrderingKey } from './tag-type.ts';
import { lockTagType, updateTagTypeRow } from './tag-types.repo.ts';

export async function updateTagType(
  resources: FlagsResources,
  input: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const before = await lockTagType(trx, input.name, 'no key update');
    if (!before) throw tagTypeNotFound(input.name);
    const { description = before.description, icon = before.icon, color = before.color } = input;
    const after = { ...before, description, icon, color };
    if (isDeepStrictEqual(before, after)) return;
    await updateTagTypeRow(trx, after);
    if (hasGrown(before, after)) await requireRoom(trx, 'tag types');
    const [data, preData] = [tagTypeEventData(after), tagTypeEventData(before)];
    const events = [{ type: 'tag-type-updated' as const, data, preData }];
    await emit({ context, orderingKey: tagTypeOrderingKey(after.name), events });
  });
}
