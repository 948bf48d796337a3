import { z } from 'zod';
import { request } from '../contract.ts';
import { projectOverviewSchema } from './project-views.ts';

const count = z.number().int().min(0);

/** Numbers of flags that are not archived. Potentially stale ones are active. */
export const flagCountsSchema = z
  .object({ activeCount: count, potentiallyStaleCount: count, staleCount: count })
  .meta({ examples: [{ activeCount: 9, potentiallyStaleCount: 1, staleCount: 1 }] });

export const getProjectHealth = request({
  name: 'flags.project.get-health',
  writes: false,
  summary: 'A project with its settings and environments, and how many of its flags are stale',
  input: z.object({ projectId: z.string() }),
  output: projectOverviewSchema.extend(flagCountsSchema.shape),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const listReleases = request({
  name: 'flags.project.list-releases',
  writes: false,
  summary:
    'The flags of a project with the type release, archived ones too, and its environments of the type production',
  input: z.object({ projectId: z.string() }),
  output: z.object({
    environments: z.array(z.string()),
    features: z.array(z.object({ name: z.string(), createdAt: z.iso.datetime() })),
  }),
  errors: ['not-found'],
  permission: 'authenticated',
});
