import { z } from 'zod';
import { request } from '../contract.ts';
import { timestamp } from './fields.ts';

/** More questions than a console asks. GET of the user has all that a user has answered. */
export const maxFeedbackPerUser = 50;

/** What a user has answered to a question of the console: when, and whether it may ask again. */
export const feedbackResponseSchema = z
  .object({ userId: z.number().int(), feedbackId: z.string(), neverShow: z.boolean(), given: timestamp.nullable() })
  .meta({
    id: 'feedbackResponseSchema',
    examples: [{ userId: 12, feedbackId: 'segments', neverShow: true, given: '2026-01-31T12:00:00.000Z' }],
  });

export type Feedback = z.infer<typeof feedbackResponseSchema>;

export const storeFeedback = request({
  name: 'accounts.feedback.store',
  writes: true,
  summary: 'Stores what the caller answered to a question of the console; a property that is not sent stays',
  input: z
    .object({
      feedbackId: z.string().max(200, 'should have at most 200 characters'),
      neverShow: z.boolean().optional(),
      // With an offset its year could have five digits in UTC, which no answer may have.
      given: z.iso.datetime('should be a date-time in UTC, as in 2026-01-31T12:00:00Z').nullable().optional(),
    })
    .meta({ examples: [{ feedbackId: 'segments', neverShow: true, given: '2026-01-31T12:00:00Z' }] }),
  output: feedbackResponseSchema,
  errors: ['forbidden', 'limit-exceeded'],
  permission: 'authenticated',
});
