import type { AccountsCounts } from '@yardarm/shared/contracts/accounts';
import type { AccountsResources } from '../resources.ts';
import { findCounts } from './instance-counts.repo.ts';

export async function countAccounts({ db }: AccountsResources): Promise<AccountsCounts> {
  return await findCounts(db.kysely);
}
