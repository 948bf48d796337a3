import { z } from 'zod';
import { request } from '../contract.ts';

const limit = z.number().int();

/** With the names of the public product. */
export const flagsLimitsSchema = z.object({
  featureFlags: limit,
  featureEnvironmentStrategies: limit,
  strategySegments: limit,
  constraints: limit,
  constraintValues: limit,
  segments: limit,
  segmentValues: limit,
  projects: limit,
  environments: limit,
});

export const getFlagsLimits = request({
  name: 'flags.limits.get',
  summary: 'The limits of flags, projects, environments and segments',
  input: z.object({}),
  output: flagsLimitsSchema,
  permission: 'internal',
});
