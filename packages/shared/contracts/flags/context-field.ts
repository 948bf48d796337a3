import { z } from 'zod';

/** A value that a context field may have. */
export const legalValueSchema = z.object({ value: z.string(), description: z.string().optional() });

export type LegalValue = z.infer<typeof legalValueSchema>;
