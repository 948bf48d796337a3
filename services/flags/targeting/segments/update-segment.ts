import type { ServedContext } from '@yardarm/shared/bus';
import type { updateSegment as contract } from '@yardarm/shared/contracts/flags';
import { isUniqueViolation } from '@yardarm/shared/db';
import type { z } from 'zod';
import { actorOf, recordChange } from '../../changes/record-change.ts';
import { hasGrown, requireRoom } from '../../places/limits/room.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { checkedConstraints } from '../strategies/check-constraints.ts';
import { lockProjectOfSegment, requireSegment, requireSegmentPermission } from './find-segment.ts';
import {
  changeBetween,
  requireSegmentSize,
  segmentEventData,
  segmentNameExists,
  segmentOrderingKey,
  segmentUsedElsewhere,
} from './segment.ts';
import { listOtherProjects, updateSegmentRow } from './segments.repo.ts';

/**
 * Replaces what an administrator may set of a segment. Readers in the places that use it learn of the change by the
 * segment's own revision there; the flags do not change.
 */
export async function updateSegment(
  resources: FlagsResources,
  { id, ...input }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<void> {
  const { name, project } = input;
  const actor = actorOf(context);
  requireSegmentSize(input);
  const change = recordChange(resources, context, async (trx, emit) => {
    await lockProjectOfSegment(trx, project);
    const before = await requireSegment(trx, id, actor, 'UPDATE_SEGMENT');
    requireSegmentPermission(actor, 'UPDATE_SEGMENT', project);
    const constraints = await checkedConstraints(trx, input.constraints, resources.limits, 'segment');
    const after = { ...before, ...input, constraints };
    const difference = changeBetween(before, after);
    if (difference === null) return;

    if (project !== null && project !== before.project) {
      const others = await listOtherProjects(trx, id, project);
      if (others.length > 0) throw segmentUsedElsewhere(others, project);
    }
    await updateSegmentRow(trx, id, after);
    if (hasGrown(before, after)) await requireRoom(trx, 'segments');
    const [data, preData] = [segmentEventData(after), segmentEventData(before)];
    const events = [{ type: 'segment-updated' as const, ...(project !== null && { project }), data, preData }];
    const visible = difference.isVisible ? { segments: [id] } : {};
    await emit({ context, orderingKey: segmentOrderingKey(id), events, visible });
  });
  await change.catch((error: unknown) => {
    throw isUniqueViolation(error, 'segments_name_key') ? segmentNameExists(name) : error;
  });
}
