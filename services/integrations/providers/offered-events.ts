import type { EventType } from '@yardarm/shared/contracts/events';

// The types that providers offer, as in the public product. An integration may name any other type too.

export const flagEvents: EventType[] = [
  ...(['feature-created', 'feature-updated', 'feature-metadata-updated', 'feature-project-change'] as const),
  ...(['feature-archived', 'feature-revived', 'feature-stale-on', 'feature-stale-off'] as const),
  ...(['feature-environment-enabled', 'feature-environment-disabled'] as const),
  ...(['feature-strategy-add', 'feature-strategy-update', 'feature-strategy-remove'] as const),
  'feature-potentially-stale-on',
];

export const changeRequestEvents: EventType[] = [
  ...(['change-request-created', 'change-request-discarded', 'change-added', 'change-discarded'] as const),
  ...(['change-request-approved', 'change-request-approval-added', 'change-request-cancelled'] as const),
  ...(['change-request-sent-to-review', 'change-request-applied', 'change-request-scheduled'] as const),
  ...(['change-request-scheduled-application-success', 'change-request-scheduled-application-failure'] as const),
  'change-request-schedule-suspended',
];
