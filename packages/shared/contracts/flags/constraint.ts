import { z } from 'zod';
import { request } from '../contract.ts';

export const constraintOperators = [
  'NOT_IN',
  'IN',
  'STR_ENDS_WITH',
  'STR_STARTS_WITH',
  'STR_CONTAINS',
  'NUM_EQ',
  'NUM_GT',
  'NUM_GTE',
  'NUM_LT',
  'NUM_LTE',
  'DATE_AFTER',
  'DATE_BEFORE',
  'SEMVER_EQ',
  'SEMVER_GT',
  'SEMVER_LT',
  'SEMVER_GTE',
  'SEMVER_LTE',
  'REGEX',
  'IN_CIDR',
] as const;

const operatorSchema = z.enum(constraintOperators, {
  error: ({ input }) =>
    input === 'NOT_IN_CIDR' ? 'should be IN_CIDR with `inverted`: SDKs do not know NOT_IN_CIDR' : undefined,
});

const valueSchema = z.string().max(1000, 'should have at most 1000 characters');

export const constraintSchema = z
  .object({
    contextName: z.string().min(1, 'should not be empty').max(100, 'should have at most 100 characters'),
    operator: operatorSchema,
    caseInsensitive: z.boolean().default(false),
    inverted: z.boolean().default(false),
    values: z.array(valueSchema).optional(),
    value: valueSchema.optional(),
  })
  .meta({ id: 'constraintSchema', examples: [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }] });

export type Constraint = z.infer<typeof constraintSchema>;

/** A constraint as it is sent. As in the public product, an unknown property is refused, such as `invert`. */
export const newConstraintSchema = z
  .strictObject(constraintSchema.shape)
  .meta({ examples: [{ contextName: 'country', operator: 'IN', values: ['NO', 'SE'] }] });

export const validateConstraint = request({
  name: 'flags.constraint.validate',
  writes: false,
  summary: 'Whether a strategy or segment may have the constraint; an error names what is wrong',
  input: newConstraintSchema,
  output: z.object({}),
  errors: ['bad-data'],
  permission: 'authenticated',
});
