import type { ServedContext } from '@yardarm/shared/bus';
import type { Segment } from '@yardarm/shared/contracts/flags';
import { actorOf, recordChange } from '../../changes/record-change.ts';
import { requireWithinLimit } from '../../places/limits/limits.repo.ts';
import { requireRoom } from '../../places/limits/room.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { checkedConstraints } from '../strategies/check-constraints.ts';
import { lockProjectOfSegment, requireSegmentPermission } from './find-segment.ts';
import {
  type NewSegment,
  requireSegmentSize,
  segmentEventData,
  segmentNameExists,
  segmentOrderingKey,
  toSegment,
} from './segment.ts';
import { insertSegment } from './segments.repo.ts';

export async function createSegment(
  resources: FlagsResources,
  input: NewSegment,
  context: ServedContext,
): Promise<Segment> {
  const { limits } = resources;
  const { name, project, constraints } = input;
  const actor = actorOf(context);
  requireSegmentPermission(actor, 'CREATE_SEGMENT', project);
  requireSegmentSize(input);
  return await recordChange(resources, context, async (trx, emit) => {
    await lockProjectOfSegment(trx, project);
    const checked = { ...input, constraints: await checkedConstraints(trx, constraints, limits, 'segment') };
    const segment = await insertSegment(trx, checked, actor.email ?? actor.username);
    if (!segment) throw segmentNameExists(name);
    const data = segmentEventData(segment);
    const events = [{ type: 'segment-created' as const, ...(project !== null && { project }), data }];
    await emit({ context, orderingKey: segmentOrderingKey(segment.id), events });
    await requireWithinLimit(trx, 'segments', limits);
    await requireRoom(trx, 'segments');
    return toSegment(segment, { usedInFeatures: 0, usedInProjects: 0 });
  });
}
