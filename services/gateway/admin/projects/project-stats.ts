import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { countEventsByDay } from '@yardarm/shared/contracts/events';
import type { ProjectOverview } from '@yardarm/shared/contracts/flags';
import { projectOverviewSchema } from '@yardarm/shared/contracts/flags';
import { z } from 'zod';
import { accessByProject } from './project-access.ts';

const count = z.number().int().min(0);
const windowDays = 30;

/** The windows of the statistics are the last 30 days and the 30 days before. */
const activityDays = 2 * windowDays;

const flagStats = projectOverviewSchema.shape.stats;

/** What happened to a project of late, of which flags, accounts and events each know a part. */
export const projectStatsSchema = z
  .object({
    ...flagStats.shape,
    projectActivityCurrentWindow: count,
    projectActivityPastWindow: count,
    projectMembersAddedCurrentWindow: count,
  })
  .meta({
    id: 'projectStatsSchema',
    examples: [
      {
        ...(example(projectOverviewSchema).stats as object),
        ...{ projectActivityCurrentWindow: 12, projectActivityPastWindow: 7, projectMembersAddedCurrentWindow: 1 },
      },
    ],
  });

/** Joins what flags answers of a project with its members and what accounts and events know for its statistics. */
export async function readWithStats<Project extends Pick<ProjectOverview, 'stats'>>(
  bus: Bus,
  projectId: string,
  reading: Promise<Project>,
  context: RequestContext,
) {
  const [project, accessOf, { days }] = await Promise.all([
    reading,
    accessByProject(bus, [projectId], context),
    bus.request(countEventsByDay, { project: projectId, days: activityDays }, context),
  ]);
  const { members, addedMembers } = accessOf(projectId);
  return { project, members, addedMembers, stats: projectStats(project.stats, days, addedMembers) };
}

/** The statistics from those of flags, the events of the last `activityDays` days by day, and the new members. */
function projectStats(
  stats: ProjectOverview['stats'],
  days: readonly { date: string; count: number }[],
  addedMembers: number,
): z.infer<typeof projectStatsSchema> {
  const begin = new Date(Date.now() - windowDays * 86_400_000).toISOString().slice(0, 10);
  const sum = (isCounted: (date: string) => boolean) =>
    days.reduce((total, { date, count }) => (isCounted(date) ? total + count : total), 0);
  return {
    ...stats,
    projectActivityCurrentWindow: sum((date) => date > begin),
    projectActivityPastWindow: sum((date) => date <= begin),
    projectMembersAddedCurrentWindow: addedMembers,
  };
}

/** The first example of a schema of an object. */
export function example(schema: z.ZodType): Record<string, unknown> {
  const [first] = (z.globalRegistry.get(schema)?.examples ?? []) as Record<string, unknown>[];
  return first ?? {};
}
