import type { ClaimedSignal, KeyClaim } from '@yardarm/shared/contracts/signals';
import type { SignalsResources } from '../resources.ts';
import { insertKey, selectKey } from './keys.repo.ts';

/** Claims a key for a signal whose admission the gateway has. The answer has the signal that has the key. */
export async function claimKey(
  { db }: SignalsResources,
  { tokenId, key, ...stored }: KeyClaim & { tokenId: number; id: number; createdAt: number },
): Promise<ClaimedSignal> {
  return db.transaction(async (trx) => {
    const [, [found]] = await trx.batch(insertKey(tokenId, key, stored), selectKey(tokenId, key));
    // A key that another claim has, and that becomes free between the two statements, is left to this signal: the
    // sender has waited a day.
    return found ?? { ...stored, keptMs: 0 };
  });
}

/** The signal that has a key. */
export async function findKey(
  { db }: SignalsResources,
  { tokenId, key }: { tokenId: number; key: string },
): Promise<{ claimed: ClaimedSignal | null }> {
  const { rows } = await selectKey(tokenId, key).execute(db.kysely);
  return { claimed: rows[0] ?? null };
}
