import { appendEvents, type EventOrigin, type Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';
import { userOrderingKey } from '../users/user.ts';
import { personalTokenEventData, type StoredPersonalToken } from './personal-token.ts';

/** Emits the events of deleted personal tokens. */
export function appendDeletions(
  trx: Transaction<AccountsTables>,
  tokens: readonly StoredPersonalToken[],
  origin: EventOrigin,
): void {
  appendEvents(
    trx,
    tokens.map((token) => ({
      type: 'pat-deleted',
      preData: personalTokenEventData(token),
      orderingKey: userOrderingKey(token.userId),
      ...origin,
    })),
  );
}
