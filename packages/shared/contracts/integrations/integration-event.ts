import { z } from 'zod';
import { request } from '../contract.ts';
import { eventSchema } from '../events/event.ts';

export const integrationEventStates = ['success', 'failed', 'successWithErrors'] as const;

export const integrationEventSchema = z
  .object({
    id: z
      .string()
      .regex(/^[0-9]+$/)
      .meta({ examples: ['1204'] }),
    integrationId: z
      .number()
      .int()
      .meta({ examples: [3] }),
    createdAt: z.iso.datetime().meta({ examples: ['2026-01-31T12:00:00.000Z'] }),
    state: z.enum(integrationEventStates).meta({ examples: ['success'] }),
    stateDetails: z.string().meta({ examples: ['Webhook request was successful with status code: 200.'] }),
    event: eventSchema,
    details: z.record(z.string(), z.unknown()).meta({ examples: [{ url: 'https://hooks.example.com' }] }),
  })
  .meta({ id: 'integrationEventSchema' });

export type IntegrationEvent = z.infer<typeof integrationEventSchema>;

export const listIntegrationEvents = request({
  name: 'integrations.integration-event.list',
  writes: false,
  summary: 'The outcomes of an integration, newest first',
  input: z.object({
    integrationId: z.number().int(),
    limit: z.number().int().min(1).max(1000),
    offset: z.number().int().min(0),
  }),
  output: z.object({ integrationEvents: z.array(integrationEventSchema) }),
  errors: ['not-found'],
  permission: 'ADMIN',
});

const ofIntegrationEvent = { integrationId: z.number().int(), integrationEventId: z.string() };

export const deliveryAttemptSchema = z
  .object({
    /** 1, 2, 3 ...; the number of an attempt whose end is unknown is missing. */
    number: z.number().int(),
    startedAt: z.iso.datetime(),
    durationMs: z.number().int(),
    status: z.number().int().nullable(),
    /** The error when there is no status: the system's code, timeout, tls, refused, interrupted or template. */
    errorCode: z.string().nullable(),
    response: z.string().nullable(),
  })
  .meta({
    examples: [
      {
        number: 1,
        startedAt: '2026-03-01T12:00:00.000Z',
        durationMs: 84,
        status: 503,
        errorCode: null,
        response: 'down for maintenance',
      },
    ],
  });

export type DeliveryAttempt = z.infer<typeof deliveryAttemptSchema>;

/** The newest attempts of a delivery that are listed. With their truncated answers they fit one message. */
export const maxAttempts = 200;

export const listDeliveryAttempts = request({
  name: 'integrations.delivery-attempt.list',
  writes: false,
  summary: `The attempts of one outcome, newest first, at most ${maxAttempts}`,
  input: z.object(ofIntegrationEvent),
  output: z.object({
    attempts: z.array(deliveryAttemptSchema).max(maxAttempts),
    /** When the delivery is due again, unless the circuit is open then; null if no attempt follows. */
    nextAttemptAt: z.iso
      .datetime()
      .nullable()
      .meta({ examples: ['2026-03-01T12:05:00.000Z'] }),
  }),
  errors: ['not-found'],
  permission: 'ADMIN',
});

export const redeliveredSchema = z.object({ redelivered: z.number().int() }).meta({ examples: [{ redelivered: 12 }] });

export const redeliverEvent = request({
  name: 'integrations.delivery.redeliver',
  writes: true,
  summary: 'Delivers an event again to an integration that got it, with the same webhook-id and new attempts',
  input: z.object(ofIntegrationEvent),
  output: redeliveredSchema,
  errors: ['not-found', 'conflict'],
  permission: 'UPDATE_ADDON',
});

/** A range of event ids, both ends included. */
export const redeliveryRangeSchema = z
  .object({
    from: z.number().int().min(1).meta({ description: 'The id of the first event' }),
    to: z.number().int().min(1).meta({ description: 'The id of the last event' }),
    onlyFailed: z.boolean().default(false).meta({ description: 'Leaves out deliveries that succeeded' }),
  })
  .refine(({ from, to }) => from <= to, { path: ['to'], error: 'should not be below from' })
  .meta({ examples: [{ from: 1200, to: 1350, onlyFailed: true }] });

export const redeliverRange = request({
  name: 'integrations.delivery.redeliver-range',
  writes: true,
  summary: 'Delivers a range of events again, at most 10,000: those that the integration got or should have got',
  input: redeliveryRangeSchema.safeExtend({ integrationId: z.number().int() }),
  output: redeliveredSchema,
  errors: ['not-found', 'conflict', 'bad-data'],
  permission: 'UPDATE_ADDON',
});

export const countRedeliverable = request({
  name: 'integrations.delivery.count-redeliverable',
  writes: false,
  summary: 'How many deliveries of a range of events would be sent again',
  input: redeliveryRangeSchema.safeExtend({ integrationId: z.number().int() }),
  output: z.object({
    redeliverable: z
      .number()
      .int()
      .meta({ examples: [12] }),
  }),
  errors: ['not-found'],
  permission: 'UPDATE_ADDON',
});

export const testOutcomeSchema = integrationEventSchema
  .pick({ state: true, stateDetails: true, details: true, event: true })
  .extend({
    status: z
      .number()
      .int()
      .nullable()
      .meta({ examples: [200] }),
    durationMs: z
      .number()
      .int()
      .meta({ examples: [84] }),
  });

export type TestOutcome = z.infer<typeof testOutcomeSchema>;

export const testIntegration = request({
  name: 'integrations.integration.test',
  writes: false,
  summary:
    'Sends an integration a harmless event once, also when it is disabled, and answers with the result; nothing is stored',
  input: z.object({ id: z.number().int() }),
  output: testOutcomeSchema,
  errors: ['not-found', 'conflict'],
  permission: 'UPDATE_ADDON',
});
