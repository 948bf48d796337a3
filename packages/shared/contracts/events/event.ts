import { z } from 'zod';
import { serviceNames } from '../contract.ts';
import { eventTypeSchema } from './event-types.ts';

export const eventTagSchema = z
  .object({ type: z.string().min(2).max(50), value: z.string().min(2).max(50) })
  .meta({ id: 'eventTagSchema' });

const jsonObject = z.record(z.string(), z.unknown());

/**
 * An event as an outbox publishes it on `evt.<service>.<type>`. It contains everything that a reader needs, and no
 * secrets.
 */
export const publishedEventSchema = z.object({
  /** A UUID v7 from the time when the event was appended. It is the Nats-Msg-Id and the key of every inbox. */
  eventId: z.uuid(),
  version: z.literal(1),
  source: z.enum(serviceNames),
  type: eventTypeSchema,
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  createdByUserId: z.number().int().nullable(),
  /** createdBy is the actor's e-mail if there is one. The username is searched too, but never shown. */
  createdByUsername: z.string(),
  environment: z.string().nullable(),
  project: z.string().nullable(),
  featureName: z.string().nullable(),
  data: jsonObject.nullable(),
  preData: jsonObject.nullable(),
  /** The tags that the flag had at the time of the event. */
  tags: z.array(eventTagSchema),
  requestId: z.string().nullable(),
  traceparent: z.string().nullable(),
});

export type PublishedEvent = z.infer<typeof publishedEventSchema>;

/** An event of the log as readers see it. Public ids increase in log order without gaps. */
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
    id: 'handledEventSchema',
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
