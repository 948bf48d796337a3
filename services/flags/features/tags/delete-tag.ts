import type { ServedContext } from '@yardarm/shared/bus';
import type { Tag } from '@yardarm/shared/contracts/flags';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { lockTagType } from '../tag-types/tag-types.repo.ts';
import { tagInUse, tagNotFound, tagOrderingKey } from './tag.ts';
import { deleteTagRow, findFeaturesWithTag } from './tags.repo.ts';

/** Deletes a tag that no flag has. Writers that add tags have locked the type for share, so that none adds it now. */
export async function deleteTag(
  resources: FlagsResources,
  { type, value }: Tag,
  context: ServedContext,
): Promise<void> {
  const tag = { type, value };
  await recordChange(resources, context, async (trx, emit) => {
    if (!(await lockTagType(trx, type, 'update'))) throw tagNotFound(tag);
    const users = await findFeaturesWithTag(trx, tag);
    if (users.length > 0) throw tagInUse(tag, users);
    if (!(await deleteTagRow(trx, tag))) throw tagNotFound(tag);
    await emit({ context, orderingKey: tagOrderingKey(tag), events: [{ type: 'tag-deleted', data: tag }] });
  });
}
