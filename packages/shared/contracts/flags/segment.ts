import { z } from 'zod';
import { request } from '../contract.ts';
import { constraintSchema, newConstraintSchema } from './constraint.ts';

const timestamp = z.iso.datetime();

const segmentIdSchema = z.number().int().min(1);

const name = z
  .string()
  .max(100, 'should have at most 100 characters')
  .refine((text) => text.trim() !== '', 'should not be empty')
  .meta({ examples: ['beta-users'] });

export const segmentSchema = z
  .object({
    id: z.number().int(),
    name: z.string(),
    description: z.string().nullable(),
    /** The project that alone may use the segment; null for all. */
    project: z.string().nullable(),
    constraints: z.array(constraintSchema),
    createdBy: z.string(),
    createdAt: timestamp,
    usedInFeatures: z.number().int(),
    usedInProjects: z.number().int(),
  })
  .meta({
    id: 'adminSegmentSchema',
    examples: [
      {
        id: 3,
        name: 'beta-users',
        description: 'Users who try new things first.',
        project: null,
        constraints: [
          { contextName: 'userId', operator: 'IN', values: ['12', '77'], caseInsensitive: false, inverted: false },
        ],
        createdBy: 'ann@example.com',
        createdAt: '2026-01-31T12:00:00.000Z',
        usedInFeatures: 2,
        usedInProjects: 1,
      },
    ],
  });

export type Segment = z.infer<typeof segmentSchema>;

export const segmentStrategySchema = z
  .object({
    id: z.uuid(),
    featureName: z.string(),
    projectId: z.string(),
    environment: z.string(),
    strategyName: z.string(),
  })
  .meta({
    examples: [
      {
        id: '5f5b0a5e-8f5c-4a52-9d0c-6b9a3c1b9f11',
        featureName: 'checkout',
        projectId: 'default',
        environment: 'production',
        strategyName: 'flexibleRollout',
      },
    ],
  });

const newSegment = {
  name,
  description: z.string().max(10_000, 'should have at most 10000 characters').nullable().default(null),
  project: z.string().max(100, 'should have at most 100 characters').nullable().default(null),
  constraints: z.array(newConstraintSchema),
};

const example = { name: 'beta-users', constraints: [{ contextName: 'userId', operator: 'IN', values: ['12', '77'] }] };

export const validateSegmentName = request({
  name: 'flags.segment.validate-name',
  writes: false,
  summary: 'Whether a new segment may have the name; an error says why not',
  input: z.object({ name }),
  output: z.object({}),
  errors: ['name-exists'],
  permission: 'authenticated',
});

/** The use case checks CREATE_SEGMENT, or UPDATE_PROJECT_SEGMENT in the project of the segment. */
export const createSegment = request({
  name: 'flags.segment.create',
  writes: true,
  summary: 'Makes a segment for all projects or for one',
  input: z.object(newSegment).meta({ examples: [example] }),
  output: segmentSchema,
  errors: ['bad-data', 'name-exists', 'limit-exceeded'],
  permission: 'authenticated',
});

export const listSegments = request({
  name: 'flags.segment.list',
  writes: false,
  summary: 'Every segment, by name',
  input: z.object({}),
  output: z.object({ segments: z.array(segmentSchema) }),
  permission: 'authenticated',
});

export const getSegment = request({
  name: 'flags.segment.get',
  writes: false,
  summary: 'One segment',
  input: z.object({ id: segmentIdSchema }),
  output: segmentSchema,
  errors: ['not-found'],
  permission: 'authenticated',
});

/** The use case checks UPDATE_SEGMENT, or UPDATE_PROJECT_SEGMENT in the project of the segment before and after. */
export const updateSegment = request({
  name: 'flags.segment.update',
  writes: true,
  summary: 'Replaces name, description, project and constraints of a segment',
  input: z.object({ id: segmentIdSchema, ...newSegment }).meta({ examples: [{ id: 3, ...example }] }),
  output: z.object({}),
  errors: ['not-found', 'bad-data', 'name-exists', 'limit-exceeded'],
  permission: 'authenticated',
});

/** The use case checks DELETE_SEGMENT, or UPDATE_PROJECT_SEGMENT in the project of the segment. */
export const deleteSegment = request({
  name: 'flags.segment.delete',
  writes: true,
  summary: 'Deletes a segment that no strategy uses',
  input: z.object({ id: segmentIdSchema }),
  output: z.object({}),
  errors: ['not-found', 'conflict'],
  permission: 'authenticated',
});

export const listStrategiesOfSegment = request({
  name: 'flags.segment.list-strategies',
  writes: false,
  summary: 'The strategies that use a segment, by flag and environment',
  input: z.object({ id: segmentIdSchema }),
  output: z.object({
    strategies: z.array(segmentStrategySchema),
    /** Always empty: there are no change requests. */
    changeRequestStrategies: z.array(segmentStrategySchema),
  }),
  errors: ['not-found'],
  permission: 'authenticated',
});

export const listSegmentsOfStrategy = request({
  name: 'flags.segment.list-of-strategy',
  writes: false,
  summary: 'The segments of a strategy, by name',
  input: z.object({ strategyId: z.string() }),
  output: z.object({ segments: z.array(segmentSchema) }),
  errors: ['not-found'],
  permission: 'authenticated',
});
