import type { ServedContext } from '@yardarm/shared/bus';
import type { TagType } from '@yardarm/shared/contracts/flags';
import { recordChange } from '../../changes/record-change.ts';
import { requireRoom } from '../../places/limits/room.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { tagTypeEventData, tagTypeExists, tagTypeOrderingKey } from './tag-type.ts';
import { insertTagTypes } from './tag-types.repo.ts';

export async function createTagType(
  resources: FlagsResources,
  input: TagType,
  context: ServedContext,
): Promise<TagType> {
  return await recordChange(resources, context, async (trx, emit) => {
    const [tagType] = await insertTagTypes(trx, [input]);
    if (!tagType) throw tagTypeExists(input.name);
    await requireRoom(trx, 'tag types');
    const events = [{ type: 'tag-type-created' as const, data: tagTypeEventData(tagType) }];
    await emit({ context, orderingKey: tagTypeOrderingKey(tagType.name), events });
    return tagType;
  });
}
