import { randomUUID } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { FlagsRig } from './flags-rig.ts';

export type SentStep = z.input<typeof contracts.executeStep.input>['step'];

/** A service account that may do every action in the project `default`. */
export const bot: Actor = {
  kind: 'service-account',
  id: 12,
  username: 'bot',
  grants: [{ permissions: Object.values(contracts.stepPermissions), projects: ['default'] }],
};

/** The requests that most tests of steps make. */
export function stepCalls(rigOf: () => FlagsRig) {
  /** `actor` is what accounts says about the service account from now on. */
  const send = (stepId: string, step: SentStep, actor: Actor = bot) => {
    rigOf().accounts.actors.set(actor.id, actor);
    return rigOf().ask(contracts.executeStep, { stepId, step, serviceAccountId: actor.id }, null);
  };
  return {
    send,
    /** Does a new step, and returns its sentence. */
    execute: async (step: SentStep, actor?: Actor) => (await send(randomUUID(), step, actor)).details,
    /** The number of steps that are stored under the id. */
    async countStored(stepId: string): Promise<number> {
      const rows = await rigOf().db.kysely.selectFrom('steps').select('id').where('id', '=', stepId).execute();
      return rows.length;
    },
  };
}
