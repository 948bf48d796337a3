import type { ServedContext } from '@yardarm/shared/bus';
import { actorOf, recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { requireSegment } from './find-segment.ts';
import { maxNamedUses, segmentEventData, segmentInDefault, segmentInUse, segmentOrderingKey } from './segment.ts';
import { deleteSegmentRow, findDefaultUse, listUses } from './segments.repo.ts';

/**
 * Deletes a segment that no strategy uses, not even one of an archived flag, which would match more people revived, and
 * no default strategy.
 */
export async function deleteSegment(
  resources: FlagsResources,
  { id }: { id: number },
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const segment = await requireSegment(trx, id, actorOf(context), 'DELETE_SEGMENT');
    const uses = await listUses(trx, id, maxNamedUses + 1);
    if (uses.length > 0) throw segmentInUse(segment, uses);
    const defaultUse = await findDefaultUse(trx, id);
    if (defaultUse) throw segmentInDefault(segment, defaultUse);
    await deleteSegmentRow(trx, id);
    const { project } = segment;
    const preData = segmentEventData(segment);
    const events = [{ type: 'segment-deleted' as const, ...(project !== null && { project }), preData }];
    await emit({ context, orderingKey: segmentOrderingKey(id), events });
  });
}
