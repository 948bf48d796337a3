import { z } from 'zod';
import { hint, request } from '../contract.ts';
import { eventSchema } from './event.ts';
import { eventTypeSchema } from './event-types.ts';
import { databaseEpoch } from './log.ts';

const tailInput = z.object({
  /** The id before the first requested event; 0 for the beginning of the log. */
  after: z.number().int().min(0),
  /** The last requested event; defaults to the end of the log. */
  upTo: z.number().int().min(0).optional(),
  /**
   * The epoch of the database (restores.ts) when `after` was its end. After a restore since, or when `after` is beyond
   * the end, the answer begins behind the last event of the restored backup. Absent, `after` is taken as it is.
   */
  epoch: z.uuid().nullable().optional(),
  /** The answer has fewer events than this when they are large. */
  limit: z.number().int().min(1).max(200).default(200),
  type: eventTypeSchema.optional(),
  project: z.string().optional(),
  feature: z.string().optional(),
  environment: z.string().optional(),
  createdFrom: z.iso.datetime().optional(),
  createdTo: z.iso.datetime().optional(),
});

const tailOutput = z.object({
  events: z.array(eventSchema),
  /** The trace context of each event. Absent in answers of the release before. */
  traceparents: z.array(z.string().nullable()).optional(),
  /**
   * The id before the first examined event; later than requested when retention has dropped events between, earlier
   * when a restore has lost the events up to the requested one.
   */
  after: z.number().int(),
  /** The last examined event; the next request continues after it. */
  through: z.number().int(),
  head: z.number().int(),
  epoch: databaseEpoch,
});

export const readAfter = request({
  name: 'events.event.read-after',
  writes: false,
  summary: 'Events after an id in the order of the log, up to a limit; the caller continues from where it ended',
  input: tailInput,
  output: tailOutput,
  permission: 'authenticated',
  callers: ['gateway', 'integrations'],
});

export const exportEvents = request({
  name: 'events.event.export',
  writes: false,
  summary: 'The same as read-after, for an export of the log',
  input: tailInput,
  output: tailOutput,
  permission: 'READ_LOGS',
});

export const recordedHint = hint({
  name: 'events.recorded',
  summary: 'The log has grown to this id',
  payload: z.object({ id: z.number().int() }),
  listeners: ['gateway', 'integrations'],
});
