import { z } from 'zod';
import { request } from '../contract.ts';

const timestamp = z.iso.datetime();
const count = z.number().int().min(0);
const environment = z.string().max(100);
const application = z.string().min(1).max(255);
const featureName = z.string().max(100);

/** How often an application evaluated a flag in an environment within an hour. */
export const usageRowSchema = z.object({
  environment,
  application,
  featureName,
  /** The beginning of the hour. */
  hour: timestamp,
  yes: count,
  no: count,
  /** By name. */
  variants: z.record(z.string(), count),
  /** The end of the last interval that was counted. */
  lastMoment: timestamp,
});

export type UsageRow = z.infer<typeof usageRowSchema>;

/** An instance of an application, as it registered or reported. A null is not known. */
export const usageInstanceSchema = z.object({
  environment,
  application,
  instanceId: z.string().min(1).max(255),
  /** The SDK and its version, such as `unleash-client-node:6.12.1`. */
  sdkVersion: z.string().max(255).nullable(),
  sdkType: z.enum(['backend', 'frontend']).nullable(),
  address: z.string().max(100).nullable(),
  /** The strategies that the SDK knows; null if the instance did not register. */
  strategies: z.array(z.string().max(100)).max(100).nullable(),
  started: timestamp.nullable(),
  /** Between two reports, as the SDK states it, in its unit. */
  interval: z.number().nullable(),
  lastMoment: timestamp,
});

export type UsageInstance = z.infer<typeof usageInstanceSchema>;

/** One batch fits a message, and flags stores it in well under a second. */
export const maxUsageRows = 5_000;
export const maxUsageInstances = 1_000;

export const reportUsage = request({
  name: 'flags.usage.report',
  summary:
    'How often SDKs evaluated flags, and which instances of applications reported. Updates lifecycles and when flags were last seen. A batch counts once, and unknown environments are ignored',
  input: z.object({
    batchId: z.uuid(),
    rows: z.array(usageRowSchema).max(maxUsageRows),
    instances: z.array(usageInstanceSchema).max(maxUsageInstances).default([]),
  }),
  output: z.object({}),
  permission: 'internal',
});
