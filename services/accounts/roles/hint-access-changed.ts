import type { Bus } from '@yardarm/shared/bus';
import { accessChangedHint } from '@yardarm/shared/contracts/accounts';
import type { Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';

/** Each hint goes to every gateway. Above this number it is cheaper that gateways ask again for all active users. */
const maxHints = 100;

/** Sends hints to gateways, after the commit, that the permissions of these users have changed. */
export function hintAccessChanged(trx: Transaction<AccountsTables>, bus: Bus, userIds: Iterable<number>): void {
  const ids = new Set(userIds);
  trx.onCommit(() => {
    for (const userId of ids.size > maxHints ? [null] : ids) bus.hint(accessChangedHint, { userId });
  });
}
