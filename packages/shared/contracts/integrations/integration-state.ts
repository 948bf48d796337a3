import { z } from 'zod';
import { request } from '../contract.ts';
import { integrationEventSchema } from './integration-event.ts';

/** The deliveries of an integration that are counted. An outage leaves millions, and a screen asks every 5 s. */
export const maxCounted = 10_000;

/** How the deliveries of an integration go. It has no text of an endpoint or an event. */
export const integrationStateSchema = z
  .object({
    integrationId: z.number().int(),
    /** Open: nothing is sent until the pause ends. Half-open: the pause is over, and one delivery at a time is sent. */
    circuit: z.enum(['closed', 'half-open', 'open']),
    /** Failures in a row, of any delivery. */
    failures: z.number().int(),
    failingSince: z.iso.datetime().nullable(),
    pausedUntil: z.iso.datetime().nullable(),
    /** Deliveries that are due, are being sent or wait for a retry. */
    waiting: z.number().int().max(maxCounted).describe(`At most ${maxCounted} are counted`),
    /** When the first of them is sent; null if none is due or waits. One in the past is sent now. */
    nextAttemptAt: z.iso.datetime().nullable(),
    /** The newest outcome; null before the first. */
    lastOutcome: integrationEventSchema.pick({ id: true, state: true, createdAt: true }).nullable(),
  })
  .meta({
    id: 'addonStateSchema',
    examples: [
      {
        integrationId: 3,
        circuit: 'open',
        failures: 9,
        failingSince: '2026-01-31T11:40:00.000Z',
        pausedUntil: '2026-01-31T12:05:00.000Z',
        waiting: 12,
        nextAttemptAt: '2026-01-31T12:05:00.000Z',
        lastOutcome: { id: '1204', state: 'failed', createdAt: '2026-01-31T12:00:00.000Z' },
      },
    ],
  });

export type IntegrationState = z.infer<typeof integrationStateSchema>;

export const listIntegrationStates = request({
  name: 'integrations.integration.list-states',
  writes: false,
  summary: 'The circuit of each integration, what waits to be sent, and its newest outcome',
  input: z.object({}),
  output: z.object({ states: z.array(integrationStateSchema) }),
  permission: 'authenticated',
});
