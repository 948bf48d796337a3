import { z } from 'zod';
import { request } from '../contract.ts';

/** Of the database; null before its first restore. The release before does not send it. */
export const databaseEpoch = z.uuid().nullable().default(null);

export const readHead = request({
  name: 'events.log.head',
  writes: false,
  summary: 'The highest public id in the log, 0 when it is empty',
  input: z.object({}),
  output: z.object({ id: z.number().int().min(0), epoch: databaseEpoch }),
  permission: 'internal',
  callers: ['gateway', 'integrations'],
});

const link = z.object({ id: z.number().int().min(0), hash: z.string() });

export const verifyLog = request({
  name: 'events.log.verify',
  writes: false,
  summary: 'Verifies a range of the log by the chain of hashes, for at most two seconds',
  input: z.object({
    from: z.number().int().min(1).default(1),
    /** The last event of the range; without it, the end of the log. */
    to: z.number().int().min(1).optional(),
  }),
  output: z
    .object({
      /** The first id that was verified; later than requested when retention has dropped the events before it. */
      from: z.number().int(),
      to: z.number().int(),
      verified: z.number().int(),
      firstBroken: z.object({ id: z.number().int(), reason: z.string() }).nullable(),
      /** The newest event. Its hash is empty when a version without the chain recorded it. */
      head: link,
      /** Where to continue when the time ended before the range; else null. */
      next: z.number().int().nullable(),
    })
    .meta({
      examples: [
        {
          ...{ from: 1, to: 1000, verified: 1000, firstBroken: null, next: null },
          head: { id: 1000, hash: 'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YU' },
        },
      ],
    }),
  permission: 'READ_LOGS',
});
