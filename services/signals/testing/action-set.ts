import type { newActionSetSchema } from '@yardarm/shared/contracts/signals';
import type { z } from 'zod';
import { robotId } from './references-double.ts';

type Sent = z.input<typeof newActionSetSchema>;

/** A set of the project `default` that switches a flag off at a critical alert. */
export function makeActionSet(endpointId: number, over: Partial<Sent> = {}): Sent {
  return {
    ...{ name: 'Switch off at an alert', actorId: robotId },
    actions: [
      {
        action: 'TOGGLE_FEATURE_OFF',
        sortOrder: 1,
        executionParams: { project: 'default', environment: 'production', featureName: 'checkout' },
      },
    ],
    match: {
      ...{ source: 'signal-endpoint', sourceId: endpointId },
      payload: { 'labels.severity': { operator: 'IN', values: ['critical'] } },
    },
    ...over,
  };
}
