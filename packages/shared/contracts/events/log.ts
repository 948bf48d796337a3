import { z } from 'zod';
import { request } from '../contract.ts';

export const readHead = request({
  name: 'events.log.head',
  summary: 'The highest public id in the log, 0 when it is empty',
  input: z.object({}),
  output: z.object({ id: z.number().int().min(0) }),
  permission: 'internal',
});

const link = z.object({ id: z.number().int().min(0), hash: z.string() });

export const verifyLog = request({
  name: 'events.log.verify',
  summary:
    'Whether a range of the log is what was recorded, by the chain of hashes; as much of it as comes in two seconds',
  input: z.object({
    from: z.number().int().min(1).default(1),
    /** The end of the log without it. */
    to: z.number().int().min(1).optional(),
  }),
  output: z
    .object({
      /** The first that was looked at; later than asked when what is before was dropped by retention. */
      from: z.number().int(),
      /** The last that was looked at. */
      to: z.number().int(),
      verified: z.number().int(),
      firstBroken: z.object({ id: z.number().int(), reason: z.string() }).nullable(),
      /** The newest event; its hash is empty when a version without the chain has recorded it. */
      head: link,
      /** Ask again from here: the time was up before the range was. */
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
