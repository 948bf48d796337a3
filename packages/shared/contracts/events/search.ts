import { z } from 'zod';
import { request } from '../contract.ts';
import { eventSchema } from './event.ts';
import { eventTypeSchema } from './event-types.ts';

const text = z.string().max(1000, 'should have at most 1000 characters');

/**
 * `head`: first wait until the log holds every event of a change that was answered before the search came in; 503 when that takes too long,
 * or when a service that publishes events cannot say what it has published.
 */
const waitFor = z.literal('head').optional();

export const searchEvents = request({
  name: 'events.event.search',
  summary: 'Events of the log by type, project, flag and free text, newest first',
  input: z.object({
    type: eventTypeSchema.optional(),
    project: z.string().optional(),
    feature: z.string().optional(),
    /** Any part of the type, of the creator's username or e-mail, or of the data; without case. */
    query: text.optional(),
    limit: z.number().int().min(1).max(100).default(100),
    /** The event id to start listing from: that event and older ones; 0 for the newest. */
    offset: z.number().int().min(0).default(0),
    waitFor,
  }),
  /** A page of large events is larger than a message; every piece says the total. */
  output: z.object({ events: z.array(eventSchema), totalEvents: z.number().int() }),
  permission: 'authenticated',
  replies: 'many',
});

/** As many values as fit into the address of a request; a filter holds when one of them does. */
const oneOf = <Value extends z.ZodType>(value: Value) => z.array(value).min(1).max(1000).optional();

/** A day as a filter, 2026-01-31; Postgres knows no year 0. */
export const eventDaySchema = z.iso.date().refine((value) => value >= '0001-01-01', 'should be after the year 0');

export const findEvents = request({
  name: 'events.event.find',
  summary: 'Events of the log by filters of several values each, all of which hold, newest first',
  input: z.object({
    ids: oneOf(z.number().int().min(1)),
    types: oneOf(eventTypeSchema),
    projects: oneOf(z.string()),
    features: oneOf(z.string()),
    environments: oneOf(z.string()),
    /** Ids of users; those that are no person have negative ones. */
    createdBy: oneOf(z.number().int()),
    /** The first and the last day, in UTC. */
    from: eventDaySchema.optional(),
    to: eventDaySchema.optional(),
    query: text.optional(),
    limit: z.number().int().min(1).max(1000).default(50),
    /** How many to leave out, from the newest on. */
    skip: z.number().int().min(0).default(0),
    waitFor,
  }),
  output: z.object({ events: z.array(eventSchema), total: z.number().int() }),
  permission: 'authenticated',
  replies: 'many',
});

export const listEventCreators = request({
  name: 'events.creator.list',
  summary: 'Everybody who has created an event that the caller may see, by id',
  input: z.object({}),
  output: z
    .object({ creators: z.array(z.object({ id: z.number().int(), name: z.string() })) })
    .meta({ examples: [{ creators: [{ id: 12, name: 'ann' }] }] }),
  permission: 'authenticated',
  replies: 'many',
});
