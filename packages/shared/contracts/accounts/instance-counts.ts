import { z } from 'zod';
import { request } from '../contract.ts';

const count = z.number().int().nonnegative();

/** The counts have the names that the public product gives them. */
export const accountsCountsSchema = z.object({
  /** People, without service accounts. */
  users: count,
  /** People who have logged in within so many days. */
  activeUsers: z.object({ last7: count, last30: count, last60: count, last90: count }),
  /** People who have the root role Viewer. */
  readOnlyUsers: count,
  serviceAccounts: count,
  roles: count,
  /** Root roles that were made here, and those of them that somebody has. */
  customRootRoles: count,
  customRootRolesInUse: count,
  groups: count,
  apiTokens: z.object({ admin: count, client: count, frontend: count }),
});

export type AccountsCounts = z.output<typeof accountsCountsSchema>;

export const countAccounts = request({
  name: 'accounts.instance.count',
  writes: false,
  summary: 'How many users, groups, roles and API tokens there are',
  input: z.object({}),
  output: accountsCountsSchema,
  permission: 'ADMIN',
});
