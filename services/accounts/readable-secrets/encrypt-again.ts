import type { Database } from '@yardarm/shared/db';
import type { Logger } from '@yardarm/shared/log';
import type { AccountsTables } from '../db/schema.ts';
import {
  countSecretsByKey,
  deleteAllSecrets,
  findTokensOfKeys,
  lockSecret,
  updateSecret,
} from './readable-secrets.repo.ts';
import { purposeOf, type ReadableSecrets } from './readable-secrets.ts';

/**
 * What a start does with the stored secrets of tokens. It may be repeated, and replicas may do it at once.
 *   readable       Encrypts the secrets of the other keys of the ring with the current key.
 *   no key         Changes nothing.
 *   switched off   Deletes all secrets.
 *
 * Returns the number of secrets that this process cannot decrypt: their key is lost or has yet to be given, or their
 * row was changed by hand.
 */
export async function encryptSecretsAgain(
  db: Database<AccountsTables>,
  secrets: ReadableSecrets,
  log: Logger,
): Promise<number> {
  const { keys, deletesStored } = secrets;
  if (deletesStored) {
    const deleted = await deleteAllSecrets(db.kysely);
    if (deleted > 0) log.info({ deleted }, 'deleted the readable secrets of API tokens, as API_TOKENS_READABLE=0 says');
    return 0;
  }
  const stored = await countSecretsByKey(db.kysely);
  const others = stored.filter(({ keyId }) => keys?.has(keyId) && keyId !== keys.currentId);
  const ids =
    others.length === 0
      ? []
      : await findTokensOfKeys(
          db.kysely,
          others.map(({ keyId }) => keyId),
        );
  let changed = 0;
  // One at a time, so that each lock is short. A row that was changed by hand does not stop the others.
  for (const id of ids) if (!(await encryptAgain(db, secrets, id))) changed += 1;
  if (ids.length > changed)
    log.info({ tokens: ids.length - changed }, 'encrypted secrets of API tokens with the current key');
  const unknown = stored.filter(({ keyId }) => !keys?.has(keyId));
  return unknown.reduce((sum, { count }) => sum + count, changed);
}

/** False when the secret cannot be decrypted with its key. */
async function encryptAgain(
  db: Database<AccountsTables>,
  { keys, open }: ReadableSecrets,
  id: number,
): Promise<boolean> {
  return await db.transaction(async (trx) => {
    const found = await lockSecret(trx, id);
    // The token was deleted, or another replica was faster.
    if (!keys || !found || found.sealed.keyId === keys.currentId) return true;
    const secret = open(found);
    if (secret === null) return false;
    await updateSecret(trx, id, keys.seal(secret, purposeOf(found.selector)));
    return true;
  });
}
