import { z } from 'zod';
import { request } from '../contract.ts';

const timestamp = z.iso.datetime();
const count = z.number().int().min(0);
const environment = z.string().max(100);
const application = z.string().min(1).max(255);
const featureName = z.string().max(100);

/** The token that reported, which a gateway of the release before does not send. */
const reporter = {
  tokenId: z.number().int().min(1).max(2_147_483_647).optional(),
  /** Whether the token is one of frontends, which every page shows. */
  isFrontend: z.boolean().optional(),
};

/** How often an application evaluated a flag in an environment within an hour. */
export const usageRowSchema = z.object({
  environment,
  application,
  featureName,
  /** The beginning of the hour in which the flag was evaluated. */
  hour: timestamp,
  yes: count,
  no: count,
  /** How often each variant was the result, by its name. */
  variants: z.record(z.string(), count),
  /** The end of the last interval that was counted. */
  lastMoment: timestamp,
  ...reporter,
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
  /** The strategies that the SDK knows; null if the instance did not say them. */
  strategies: z.array(z.string().max(100)).max(100).nullable(),
  started: timestamp.nullable(),
  /** Between two reports, as the SDK states it, in its unit. */
  interval: z.number().nullable(),
  lastMoment: timestamp,
  ...reporter,
});

export type UsageInstance = z.infer<typeof usageInstanceSchema>;

/** One batch fits a message, and flags stores it in well under a second. */
export const maxUsageRows = 5_000;
export const maxUsageInstances = 1_000;

export const reportUsage = request({
  name: 'flags.usage.report',
  writes: 'in-maintenance',
  summary:
    'How often SDKs evaluated flags, and which instances of applications reported. Updates lifecycles and when flags were last seen. A batch counts once, and unknown environments are ignored',
  input: z.object({
    batchId: z.uuid(),
    rows: z.array(usageRowSchema).max(maxUsageRows),
    instances: z.array(usageInstanceSchema).max(maxUsageInstances).default([]),
  }),
  output: z.object({
    /** The applications for which there was no room. Their counts are stored under one name. */
    excessApplications: z.number().int().min(0).default(0),
  }),
  permission: 'internal',
});

const counts = { yes: count, no: count };
const variants = z.record(z.string(), count);
const countExample = { environment: 'production', timestamp: '2026-01-31T12:00:00.000Z', yes: 974, no: 50 };

const maturity = z.literal('stable');

const usageSummarySchema = z
  .object({
    maturity,
    featureName: z.string(),
    /** Of the hour that has begun last, over all applications. */
    lastHourUsage: z.array(z.object({ environment: z.string(), timestamp, ...counts, variants })).max(1000),
    /** The counts of all the time for which usage is kept. */
    totalUsage: z.array(z.object({ environment: z.string(), ...counts })).max(1000),
    /** The names of applications; the first ones by name, if there are more. */
    seenApplications: z.array(z.string()).max(1000),
  })
  .meta({
    examples: [
      {
        ...{ maturity: 'stable', featureName: 'new-checkout' },
        lastHourUsage: [{ ...countExample, variants: { blue: 974 } }],
        totalUsage: [{ environment: 'production', yes: 12_974, no: 5_050 }],
        seenApplications: ['shop'],
      },
    ],
  });

export const getUsageSummary = request({
  name: 'flags.usage.get-summary',
  writes: false,
  summary: 'How often a flag was evaluated in the last hour and in total, and by which applications',
  input: z.object({ name: z.string() }),
  output: usageSummarySchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

export const usageOfFeatureSchema = z
  .object({
    featureName: z.string(),
    appName: z.string(),
    environment: z.string(),
    /** The beginning of the hour or of the day, in UTC. */
    timestamp,
    ...counts,
    variants,
  })
  .meta({ examples: [{ featureName: 'new-checkout', appName: 'shop', ...countExample, variants: { blue: 974 } }] });

/** Up to this many hours, usage is listed by the hour, else by the day. */
export const maxUsageHours = 48;
/** A year, longer than usage is kept. */
export const maxUsageHoursBack = 8784;

export const listUsage = request({
  name: 'flags.usage.list',
  writes: false,
  summary: 'How often each application evaluated a flag, by hour in the last 48 hours; by day in a longer time',
  input: z.object({
    name: z.string(),
    hoursBack: z.number().int().min(1).max(maxUsageHoursBack).default(maxUsageHours),
  }),
  output: z.object({ maturity, data: z.array(usageOfFeatureSchema) }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export type UsageOfFeature = z.infer<typeof usageOfFeatureSchema>;

export const unknownFlagSchema = z
  .object({
    name: z.string(),
    lastSeenAt: timestamp,
    reports: z.array(
      z.object({
        appName: z.string(),
        environments: z.array(z.object({ environment: z.string(), seenAt: timestamp })),
      }),
    ),
  })
  .meta({
    examples: [
      {
        name: 'new-chekcout',
        lastSeenAt: '2026-01-31T12:00:00.000Z',
        reports: [
          { appName: 'shop', environments: [{ environment: 'production', seenAt: '2026-01-31T12:00:00.000Z' }] },
        ],
      },
    ],
  });

export type UnknownFlag = z.infer<typeof unknownFlagSchema>;

export const listUnknownFlags = request({
  name: 'flags.usage.list-unknown-flags',
  writes: false,
  summary: 'The flags that applications evaluated in the last 24 hours and that do not exist, at most 1000',
  input: z.object({}),
  output: z.object({ unknownFlags: z.array(unknownFlagSchema) }),
  permission: 'authenticated',
});
