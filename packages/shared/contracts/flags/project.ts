import { z } from 'zod';
import { request } from '../contract.ts';

export const listEnvironmentNames = request({
  name: 'flags.environment.list-names',
  summary: 'The names of all environments, in their order',
  input: z.object({}),
  output: z.object({ environments: z.array(z.string()) }),
  permission: 'authenticated',
});

export const listProjectIds = request({
  name: 'flags.project.list-ids',
  summary: 'The ids of all projects',
  input: z.object({}),
  output: z.object({ projects: z.array(z.string()) }),
  permission: 'authenticated',
  replies: 'many',
});

/** For services that store data of projects and environments, and must refuse those that do not exist. */
export const findMissingProjectsAndEnvironments = request({
  name: 'flags.project.find-missing',
  summary: 'Which of these projects and environments do not exist',
  input: z.object({ projects: z.array(z.string()).max(1000), environments: z.array(z.string()).max(1000) }),
  output: z.object({ projects: z.array(z.string()), environments: z.array(z.string()) }),
  permission: 'internal',
});
