import type { ServedContext } from '@yardarm/shared/bus';
import type { Tag } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { recordChange } from '../../changes/record-change.ts';
import { requireRoom } from '../../places/limits/room.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { requireTagTypes, tagsCreated } from './change-tags.ts';
import { insertTags } from './tags.repo.ts';

export async function createTag(
  resources: FlagsResources,
  { type, value }: Tag,
  context: ServedContext,
): Promise<{ tag: Tag }> {
  const tag = { type, value };
  return await recordChange(resources, context, async (trx, emit) => {
    await requireTagTypes(trx, [tag]);
    const created = await insertTags(trx, [tag]);
    if (created.length === 0) {
      throw new AppError('name-exists', `There is already a tag called ${redactValue(`${type}:${value}`, [])}.`);
    }
    await requireRoom(trx, 'tags');
    await emit(...tagsCreated(context, created));
    return { tag };
  });
}
