import type { StoredFeature } from '../features/feature.ts';

export const stored: StoredFeature = {
  name: 'checkout',
  project: 'default',
  description: null,
  type: 'release',
  stale: false,
  impressionData: false,
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  createdByUserId: 7,
  archivedAt: null,
  version: 1,
  potentiallyStaleSince: null,
};
