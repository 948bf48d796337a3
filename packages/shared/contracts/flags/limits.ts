import { z } from 'zod';
import { request } from '../contract.ts';

const limit = z.number().int();

/** The limits have the names that the public product gives them. */
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
  writes: false,
  summary: 'The limits of flags, projects, environments and segments',
  input: z.object({}),
  output: flagsLimitsSchema,
  permission: 'internal',
});
