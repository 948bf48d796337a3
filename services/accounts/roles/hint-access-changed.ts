import type { Bus } from '@yardarm/shared/bus';
import { accessChangedHint } from '@yardarm/shared/contracts/accounts';
import type { Transaction } from '@yardarm/shared/db';
import type { AccountsTables } from '../db/schema.ts';

/** Each hint goes to every gateway. Beyond this many it is cheaper that they ask once more for everybody who is active there. */
const maxHints = 100;

/** After the commit, tells every gateway that what these users may do has changed. */
export function hintAccessChanged(trx: Transaction<AccountsTables>, bus: Bus, userIds: Iterable<number>): void {
  const ids = new Set(userIds);
  trx.onCommit(() => {
    for (const userId of ids.size > maxHints ? [null] : ids) bus.hint(accessChangedHint, { userId });
  });
}
