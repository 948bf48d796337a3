import { systemActor } from '@yardarm/shared/contracts';
import { appendEvent, type Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { newTraceparent } from '@yardarm/shared/telemetry';
import { apiTokenEventData, apiTokenPlace } from '../api-tokens/api-token.ts';
import type { AccountsTables } from '../db/schema.ts';
import type { InitialToken } from './initial-token.ts';
import { insertInitialToken } from './initial-tokens.repo.ts';

/**
 * Makes the tokens that the settings give, unless they are there: every replica does so at every start, and the unique selector
 * lets one of them through. One that was deleted stays deleted, however long a setting names it. Each in a transaction of its own, so
 * that replicas with other lists cannot wait for each other in a ring.
 */
export async function makeInitialTokens(
  { db, log }: { db: Database<AccountsTables>; log: Logger },
  tokens: readonly InitialToken[],
  requestId: string,
): Promise<void> {
  for (const token of tokens) {
    await db.transaction(async (trx) => {
      const made = await insertInitialToken(trx, token);
      if (made === 'retired') {
        log.info({ tokenName: token.name }, 'a token that a setting gives was deleted, and is not made again');
      }
      if (typeof made === 'string') return;
      const stored = { ...token, ...made, expiresAt: null, seenAt: null };
      appendEvent(trx, {
        type: 'api-token-created',
        data: apiTokenEventData(stored),
        ...apiTokenPlace(stored),
        actor: systemActor,
        requestId,
        traceparent: newTraceparent(),
      });
    });
  }
}
