import type { Bus, RequestContext } from '@yardarm/shared/bus';
import {
  type ProjectAccessSummary,
  projectOwnerSchema,
  summarizeProjectAccess,
} from '@yardarm/shared/contracts/accounts';
import { z } from 'zod';

/** A project without owners belongs to the system, as in the public product. */
export const ownerSchema = z.union([projectOwnerSchema, z.object({ ownerType: z.literal('system') })]);

export interface AccessToProject extends Omit<ProjectAccessSummary, 'project' | 'owners'> {
  owners: z.infer<typeof ownerSchema>[];
}

/** Who has access to these projects, or to all. */
export async function accessByProject(
  bus: Bus,
  projects: string[] | null,
  context: RequestContext,
): Promise<(project: string) => AccessToProject> {
  const { summaries } = await bus.request(summarizeProjectAccess, { projects }, context);
  const known = new Map(summaries.map((summary) => [summary.project, summary]));
  return (project) => {
    const { owners = [], members = 0, directMembers = 0, addedMembers = 0, apiTokens = 0 } = known.get(project) ?? {};
    return {
      owners: owners.length === 0 ? [{ ownerType: 'system' }] : owners,
      ...{ members, directMembers, addedMembers, apiTokens },
    };
  };
}
