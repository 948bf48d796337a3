import { systemActor } from '@yardarm/shared/contracts';
import { appendEvent, type Database } from '@yardarm/shared/db';
import { newTraceparent } from '@yardarm/shared/telemetry';
import type { AccountsTables } from '../db/schema.ts';
import { insertInitialToken } from '../tokens/tokens.repo.ts';
import type { InitialToken } from './initial-token.ts';

/**
 * Makes the tokens that the settings give, unless they are there: every replica does so at every start, and the unique selector
 * lets one of them through. Each in a transaction of its own, so that replicas with other lists cannot wait for each other in a ring.
 */
export async function makeInitialTokens(
  db: Database<AccountsTables>,
  tokens: readonly InitialToken[],
  requestId: string,
): Promise<void> {
  for (const token of tokens) {
    await db.transaction(async (trx) => {
      const made = await insertInitialToken(trx, token);
      if (!made) return;
      const { kind, name, environment, projects } = token;
      await appendEvent(trx, {
        type: 'api-token-created',
        actor: systemActor,
        environment,
        data: {
          id: made.id,
          tokenName: name,
          type: kind,
          environment: environment ?? '*',
          projects,
          createdAt: made.createdAt.toISOString(),
          expiresAt: null,
        },
        orderingKey: `api-token:${made.id}`,
        requestId,
        traceparent: newTraceparent(),
      });
    });
  }
}
