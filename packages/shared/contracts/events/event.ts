import { z } from 'zod';
import { serviceNames } from '../contract.ts';
import { eventTypeSchema } from './event-types.ts';

export const eventTagSchema = z.object({ type: z.string().min(2).max(50), value: z.string().min(2).max(50) });

const jsonObject = z.record(z.string(), z.unknown());

/**
 * What happened, as an outbox publishes it on `evt.<service>.<type>`: past tense and self-sufficient, no reader calls back to
 * understand it. Secrets never enter one.
 */
export const publishedEventSchema = z.object({
  /** uuid v7, made when the event is appended; the Nats-Msg-Id and the key of every inbox. */
  eventId: z.uuid(),
  /** Version of this envelope. */
  version: z.literal(1),
  source: z.enum(serviceNames),
  type: eventTypeSchema,
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  createdByUserId: z.number().int().nullable(),
  /** createdBy is the e-mail of somebody who has one; the username is searched with it, never shown. */
  createdByUsername: z.string(),
  environment: z.string().nullable(),
  project: z.string().nullable(),
  featureName: z.string().nullable(),
  data: jsonObject.nullable(),
  preData: jsonObject.nullable(),
  /** The flag's tags of that moment. */
  tags: z.array(eventTagSchema),
  requestId: z.string().nullable(),
  traceparent: z.string().nullable(),
});

export type PublishedEvent = z.infer<typeof publishedEventSchema>;

/** The same once the log holds it, as published on `recorded.<type>`: with its public id, rising in log order without gaps. */
export const recordedEventSchema = publishedEventSchema.extend({ id: z.number().int().min(1) });

export type RecordedEvent = z.infer<typeof recordedEventSchema>;

/** The event as clients see it. */
export const eventSchema = z
  .object({
    id: z.number().int().min(1),
    createdAt: z.iso.datetime(),
    type: eventTypeSchema,
    createdBy: z.string(),
    createdByUserId: z.number().int().nullable(),
    environment: z.string().nullable(),
    project: z.string().nullable(),
    featureName: z.string().nullable(),
    data: jsonObject.nullable(),
    preData: jsonObject.nullable(),
    tags: z.array(eventTagSchema),
  })
  .meta({
    examples: [
      {
        id: 842,
        createdAt: '2026-01-31T12:00:00.000Z',
        type: 'feature-environment-enabled',
        createdBy: 'ann@example.com',
        createdByUserId: 12,
        environment: 'production',
        project: 'default',
        featureName: 'checkout',
        data: null,
        preData: null,
        tags: [{ type: 'simple', value: 'payments' }],
      },
    ],
  });

export type Event = z.infer<typeof eventSchema>;
