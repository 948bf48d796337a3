import { z } from 'zod';
import { request } from '../contract.ts';

/** The limits have the names that the public product gives them. */
export const signalsLimitsSchema = z.object({
  signalEndpoints: z.number().int(),
  signalTokensPerEndpoint: z.number().int(),
  actionSetActions: z.number().int(),
  actionSetsPerProject: z.number().int(),
  actionSetFilters: z.number().int(),
  actionSetFilterValues: z.number().int(),
});

export const getSignalsLimits = request({
  name: 'signals.limits.get',
  writes: false,
  summary: 'The limits of signal endpoints, their tokens and action sets',
  input: z.object({}),
  output: signalsLimitsSchema,
  permission: 'internal',
});
