import { systemActor } from '@yardarm/shared/contracts';
import { appendEvent, type Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import { newTraceparent } from '@yardarm/shared/telemetry';
import { apiTokenEventData, apiTokenPlace } from '../api-tokens/api-token.ts';
import type { AccountsTables } from '../db/schema.ts';
import type { ReadableSecrets } from '../readable-secrets/readable-secrets.ts';
import type { InitialToken } from './initial-token.ts';
import { insertInitialToken } from './initial-tokens.repo.ts';

/**
 * Creates the tokens given by the settings, unless they exist. Every replica tries at every start; the unique selector
 * lets one of them create each token. A deleted token stays deleted, even while a setting names it. Each token has a
 * transaction of its own, so that replicas with different lists cannot deadlock.
 */
export async function makeInitialTokens(
  { db, secrets, log }: { db: Database<AccountsTables>; secrets: ReadableSecrets; log: Logger },
  tokens: readonly InitialToken[],
  requestId: string,
): Promise<void> {
  for (const token of tokens) {
    await db.transaction(async (trx) => {
      const made = await insertInitialToken(trx, token, secrets.seal(token, token.secret));
      if (made === 'retired') {
        log.info({ tokenName: token.name }, 'a token given by a setting was deleted and is not created again');
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
