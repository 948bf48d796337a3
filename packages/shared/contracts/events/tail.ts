import { z } from 'zod';
import { hint, request } from '../contract.ts';
import { eventSchema } from './event.ts';
import { eventTypeSchema } from './event-types.ts';

const tailInput = z.object({
  /** The event before the first one asked for; 0 for the beginning of the log. */
  after: z.number().int().min(0),
  /** The last event asked for; that of the log without it. */
  upTo: z.number().int().min(0).optional(),
  // An event has a megabyte at the most: what the server has in memory for one answer.
  limit: z.number().int().min(1).max(200).default(200),
  type: eventTypeSchema.optional(),
  project: z.string().optional(),
  feature: z.string().optional(),
  environment: z.string().optional(),
  createdFrom: z.iso.datetime().optional(),
  createdTo: z.iso.datetime().optional(),
});

/** Every piece says the same of the whole. */
const tailOutput = z.object({
  events: z.array(eventSchema),
  /** The event before the first one looked at: later than asked when retention has dropped what was between. */
  after: z.number().int(),
  /** The last event looked at: to be asked for the ones after it. */
  through: z.number().int(),
  /** The newest event of the log. */
  head: z.number().int(),
});

export const readAfter = request({
  name: 'events.event.read-after',
  summary:
    'Events behind an id in the order of the log, as far as one look goes; the caller goes on from where it ended',
  input: tailInput,
  output: tailOutput,
  permission: 'authenticated',
  replies: 'many',
});

export const exportEvents = request({
  name: 'events.event.export',
  summary: 'As read-after, for taking the log away',
  input: tailInput,
  output: tailOutput,
  permission: 'READ_LOGS',
  replies: 'many',
});

export const recordedHint = hint({
  name: 'events.recorded',
  summary: 'The log has grown to this id',
  payload: z.object({ id: z.number().int() }),
});
