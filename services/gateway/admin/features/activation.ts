import { z } from 'zod';

/** Consoles ask their users what to do with disabled strategies when a flag is switched on. */
export const activationQuery = z.object({
  shouldActivateDisabledStrategies: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
});
