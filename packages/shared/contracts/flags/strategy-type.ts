import { z } from 'zod';

/** A parameter of a type of strategies. */
export const strategyTypeParameterSchema = z.object({
  name: z.string(),
  type: z.enum(['string', 'percentage', 'list', 'number', 'boolean']),
  description: z.string().optional(),
  required: z.boolean().optional(),
});

export type StrategyTypeParameter = z.infer<typeof strategyTypeParameterSchema>;
