import { z } from 'zod';
import { request } from '../contract.ts';
import { eventSchema } from './event.ts';
import { eventTypeSchema } from './event-types.ts';

export const searchEvents = request({
  name: 'events.event.search',
  summary: 'Events of the log by type, project, flag and free text, newest first',
  input: z
    .object({
      type: eventTypeSchema.optional(),
      project: z.string().optional(),
      feature: z.string().optional(),
      query: z.string().max(1000, 'should have at most 1000 characters').optional(),
      limit: z.number().int().min(1).max(100).default(100),
      /** The event id to start listing from: that event and older ones; 0 for the newest. */
      offset: z.number().int().min(0).default(0),
    })
    .meta({ examples: [{ type: 'feature-created', project: 'default', limit: 50 }] }),
  /** A page of large events is larger than a message; every piece says the total. */
  output: z.object({ events: z.array(eventSchema), totalEvents: z.number().int() }),
  permission: 'authenticated',
  replies: 'many',
});

export const readHead = request({
  name: 'events.log.head',
  summary: 'The highest public id in the log, 0 when it is empty',
  input: z.object({}),
  output: z.object({ id: z.number().int().min(0) }),
  permission: 'internal',
});
