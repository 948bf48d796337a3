import { z } from 'zod';
import { actorSchema } from '../actor.ts';
import { request } from '../contract.ts';

export const resolveActor = request({
  name: 'accounts.actor.resolve',
  writes: false,
  summary: 'A service account as the actor of a request, with its present permissions; null when it does not exist',
  input: z.object({ serviceAccountId: z.number().int() }),
  output: z.object({ actor: actorSchema.nullable() }),
  permission: 'internal',
  callers: ['signals', 'flags'],
});
