import { z } from 'zod';
import { request } from '../contract.ts';
import { incarnationSchema } from './incarnation.ts';

/** The rule for the names of a project's new flags. The pattern is in RE2 syntax and matches a whole name. */
export const featureNamingSchema = z.object({
  pattern: z.string().max(255, 'should have at most 255 characters').nullable(),
  example: z.string().max(100, 'should have at most 100 characters').nullish(),
  description: z.string().max(10_000, 'should have at most 10000 characters').nullish(),
});

export type FeatureNaming = z.infer<typeof featureNamingSchema>;

/** A link that consoles show for every flag of a project. The template may contain {{project}} and {{feature}}. */
export const linkTemplateSchema = z.object({
  title: z.string().max(255, 'should have at most 255 characters').nullable().default(null),
  urlTemplate: z
    .string()
    .max(2000, 'should have at most 2000 characters')
    .regex(/^https?:\/\//, 'should begin with http:// or https://'),
});

export type LinkTemplate = z.infer<typeof linkTemplateSchema>;

export const listEnvironmentNames = request({
  name: 'flags.environment.list-names',
  writes: false,
  summary: 'The names of all environments, in their order',
  input: z.object({}),
  output: z.object({ environments: z.array(z.string()) }),
  permission: 'authenticated',
});

export const listProjectIds = request({
  name: 'flags.project.list-ids',
  writes: false,
  summary: 'The ids of all projects',
  input: z.object({}),
  output: z.object({ projects: z.array(z.string()) }),
  permission: 'authenticated',
});

/** For services that store data of projects and environments, and must refuse those that do not exist. */
export const findMissingProjectsAndEnvironments = request({
  name: 'flags.project.find-missing',
  writes: false,
  summary: 'Which of these projects and environments do not exist, and when the others were created',
  input: z.object({ projects: z.array(z.string()).max(1000), environments: z.array(z.string()).max(1000) }),
  output: z.object({
    projects: z.array(z.string()),
    environments: z.array(z.string()),
    found: z.array(incarnationSchema).max(2000),
  }),
  permission: 'internal',
  callers: ['accounts', 'integrations', 'signals'],
});
