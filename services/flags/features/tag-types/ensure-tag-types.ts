import type { ServedContext } from '@yardarm/shared/bus';
import type { ensureTagTypes as contract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { tagTypeEventData, tagTypeOrderingKey } from './tag-type.ts';
import { insertTagTypes } from './tag-types.repo.ts';

/** Makes the missing types, with an event each. An existing type stays as it is, so a repeated request does nothing. */
export async function ensureTagTypes(
  resources: FlagsResources,
  { tagTypes }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const inserted = await insertTagTypes(
      trx,
      tagTypes.map((tagType) => ({ ...tagType, color: null })),
    );
    const changes = inserted.map((tagType) => ({
      context,
      orderingKey: tagTypeOrderingKey(tagType.name),
      events: [{ type: 'tag-type-created' as const, data: tagTypeEventData(tagType) }],
    }));
    if (changes.length > 0) await emit(...changes);
  });
}
