import { z } from 'zod';
import { request } from '../contract.ts';

/** With the names of the public product. */
export const signalsLimitsSchema = z.object({
  signalEndpoints: z.number().int(),
  signalTokensPerEndpoint: z.number().int(),
});

export const getSignalsLimits = request({
  name: 'signals.limits.get',
  summary: 'The limits of signal endpoints and their tokens',
  input: z.object({}),
  output: signalsLimitsSchema,
  permission: 'internal',
});
