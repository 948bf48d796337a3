import { z } from 'zod';
import { request } from '../contract.ts';

/** The limits have the names that the public product gives them. */
export const accountsLimitsSchema = z.object({ apiTokens: z.number().int() });

export const getAccountsLimits = request({
  name: 'accounts.limits.get',
  writes: false,
  summary: 'The limit of API tokens',
  input: z.object({}),
  output: accountsLimitsSchema,
  permission: 'internal',
});
