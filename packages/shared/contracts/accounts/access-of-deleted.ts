import { z } from 'zod';
import { request } from '../contract.ts';
import { incarnationSchema } from '../flags/incarnation.ts';

export const removeAccessOfDeleted = request({
  name: 'accounts.access.remove-of-deleted',
  // The rest of a change that flags has begun.
  writes: 'in-maintenance',
  summary: 'Removes all access to a deleted project or environment, unless that is done',
  input: incarnationSchema,
  output: z.object({}),
  permission: 'internal',
  callers: ['flags'],
});
