import type { Event } from '@yardarm/shared/contracts/events';
import type { Publication } from '../providers/provider.ts';

export const goldenEvent: Event = {
  id: 42,
  createdAt: '2026-03-01T12:00:00.000Z',
  type: 'feature-environment-enabled',
  createdBy: 'ada@example.com',
  createdByUserId: 1,
  environment: 'production',
  project: 'default',
  featureName: 'checkout',
  data: { rollout: 50 },
  preData: null,
  tags: [],
};

export const baseUrl = 'https://flags.example';

export function somePublication(over: Partial<Publication> = {}): Publication {
  const event = over.event ?? goldenEvent;
  return {
    integrationId: 7,
    parameters: {},
    event,
    eventJson: JSON.stringify(event),
    progress: null,
    traceparent: null,
    epoch: null,
    signal: new AbortController().signal,
    onRendered: () => {},
    ...over,
  };
}
