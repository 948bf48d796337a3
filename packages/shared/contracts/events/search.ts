import { z } from 'zod';
import { request } from '../contract.ts';
import { daySchema } from '../day.ts';
import { eventSchema } from './event.ts';
import { eventTypeSchema } from './event-types.ts';

const text = z.string().max(1000, 'should have at most 1000 characters');

/**
 * `head`: the search first waits until the log contains every event of the changes that were answered before it. It
 * answers 503 when that takes too long, or when a publisher cannot report what it has published.
 */
const waitFor = z.literal('head').optional();

export const searchEvents = request({
  name: 'events.event.search',
  writes: false,
  summary: 'Events of the log by type, project, flag and free text, newest first',
  input: z.object({
    type: eventTypeSchema.optional(),
    project: z.string().optional(),
    feature: z.string().optional(),
    /** A part of the type, of the creator's username or e-mail, or of the data, in any case. */
    query: text.optional(),
    limit: z.number().int().min(1).max(100).default(100),
    /** The id of the first event to list, followed by older ones; 0 for the newest. */
    offset: z.number().int().min(0).default(0),
    waitFor,
  }),
  output: z.object({ events: z.array(eventSchema), totalEvents: z.number().int() }),
  errors: ['bad-data'],
  permission: 'authenticated',
});

/** A filter that matches any of its values. The limit is what fits into the URL of a request. */
const anyOf = <Value extends z.ZodType>(value: Value) => z.array(value).min(1).max(1000).optional();

export const findEvents = request({
  name: 'events.event.find',
  writes: false,
  summary: 'Events of the log that match all filters, of several values each, newest first',
  input: z.object({
    ids: anyOf(z.number().int().min(1)),
    types: anyOf(eventTypeSchema),
    projects: anyOf(z.string()),
    features: anyOf(z.string()),
    environments: anyOf(z.string()),
    /** Ids of users. Actors that are not users have negative ids. */
    createdBy: anyOf(z.number().int()),
    from: daySchema.optional(),
    to: daySchema.optional(),
    query: text.optional(),
    limit: z.number().int().min(1).max(1000).default(50),
    skip: z.number().int().min(0).default(0),
    waitFor,
  }),
  output: z.object({ events: z.array(eventSchema), total: z.number().int() }),
  errors: ['bad-data'],
  permission: 'authenticated',
});

export const listEventCreators = request({
  name: 'events.creator.list',
  writes: false,
  summary: 'The creators of the events that the caller may see, with ids and names',
  input: z.object({}),
  output: z
    .object({ creators: z.array(z.object({ id: z.number().int(), name: z.string() })) })
    .meta({ examples: [{ creators: [{ id: 12, name: 'ann' }] }] }),
  permission: 'authenticated',
});

export const eventDayCountSchema = z.object({ date: z.iso.date(), count: z.number().int().min(1) });

export const countEventsByDay = request({
  name: 'events.event.count-by-day',
  writes: false,
  summary: 'How many events a project has had on each of the last days, in UTC; days without events are missing',
  input: z.object({ project: z.string(), days: z.number().int().min(1).max(366).default(366) }),
  output: z.object({ days: z.array(eventDayCountSchema).max(367) }),
  permission: 'authenticated',
});

export const listFirstSwitches = request({
  name: 'events.event.list-first-switches',
  writes: false,
  summary:
    'When each flag of a project was first switched on in one of some environments, since the last flag of its name was deleted',
  input: z.object({ project: z.string(), environments: z.array(z.string()).max(1000) }),
  output: z.object({ switches: z.array(z.object({ featureName: z.string(), createdAt: z.iso.datetime() })) }),
  permission: 'authenticated',
});
