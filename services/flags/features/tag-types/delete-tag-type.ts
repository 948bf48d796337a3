import type { ServedContext } from '@yardarm/shared/bus';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { tagOrderingKey } from '../tags/tag.ts';
import { findFeaturesWithTag } from '../tags/tags.repo.ts';
import { tagTypeEventData, tagTypeInUse, tagTypeNotFound, tagTypeOrderingKey } from './tag-type.ts';
import { deleteTagTypeRow, lockTagType } from './tag-types.repo.ts';

/** Deletes a type that no flag has a tag of, with its tags. Archived flags count: they keep their tags. */
export async function deleteTagType(
  resources: FlagsResources,
  { name }: { name: string },
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const tagType = await lockTagType(trx, name, 'update');
    if (!tagType) throw tagTypeNotFound(name);
    const users = await findFeaturesWithTag(trx, { type: name });
    if (users.length > 0) throw tagTypeInUse(name, users);
    const values = await deleteTagTypeRow(trx, name);
    const tags = values.map((value) => ({ type: name, value }));
    await emit(
      ...tags.map((tag) => ({
        ...{ context, orderingKey: tagOrderingKey(tag) },
        events: [{ type: 'tag-deleted' as const, data: tag }],
      })),
      {
        ...{ context, orderingKey: tagTypeOrderingKey(name) },
        events: [{ type: 'tag-type-deleted' as const, preData: tagTypeEventData(tagType) }],
      },
    );
  });
}
