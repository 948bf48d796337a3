import { z } from 'zod';
import { request } from '../contract.ts';

const count = z.number().int().min(0);

/** How often an application evaluated a flag in an environment within an hour. */
export const usageRowSchema = z.object({
  environment: z.string().max(100),
  application: z.string().max(255),
  featureName: z.string().max(100),
  /** The beginning of the hour. */
  hour: z.iso.datetime(),
  yes: count,
  no: count,
  /** By name. */
  variants: z.record(z.string(), count),
  /** The end of the last interval that was counted. */
  lastMoment: z.iso.datetime(),
});

export type UsageRow = z.infer<typeof usageRowSchema>;

export const reportUsage = request({
  name: 'flags.usage.report',
  summary:
    'How often SDKs evaluated flags. Updates lifecycles and when flags were last seen. A batch counts once, and unknown flags and environments are ignored',
  input: z.object({ batchId: z.uuid(), rows: z.array(usageRowSchema).max(5000) }),
  output: z.object({}),
  permission: 'internal',
});
