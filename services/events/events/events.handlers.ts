import type { Event } from '@yardarm/shared/contracts/events';
import type { EventRow } from './events.repo.ts';

/** The event as clients see it: what is inside alone (event id, request, the creator's e-mail) stays there. */
export function publicEvent(row: EventRow): Event {
  return {
    id: row.id,
    createdAt: row.created_at.toISOString(),
    type: row.type as Event['type'],
    createdBy: row.created_by,
    createdByUserId: row.created_by_user_id,
    environment: row.environment,
    project: row.project,
    featureName: row.feature_name,
    data: row.data,
    preData: row.pre_data,
    tags: row.tags,
  };
}
