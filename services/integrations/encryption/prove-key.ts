import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { IntegrationsTables } from '../db/schema.ts';
import { findSealedOtherwise, lockKeyId, lockParameters, writeKeyId, writeParameters } from './encryption.repo.ts';
import type { Keyring } from './keyring.ts';

/** A Postgres that starts beside this process is there within seconds; one question a second burdens nobody. */
const askAgainMs = 1_000;

/** The keys are not those that the integrations in the database are encrypted with. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError';
}

/**
 * Proves at the start that the keys open what is stored, and seals with the current key what is not yet: values from before there was
 * encryption, and after a rotation those of the old key. Waits for Postgres however long it is away.
 *
 *   no key noted        The first start: the current key is noted, by its id.
 *   the current noted   Nothing but leftovers to seal: of another replica that still seals with the key before.
 *   another of ours     A rotation: the current one is noted, every value sealed anew.
 *   none of ours        WrongKeyError; the start fails, and nothing was changed or sent.
 *
 * Every value carries the id of its key and opens by any key of the ring, so replicas that are at different steps of a rotation
 * understand each other as long as each has both keys.
 */
export async function proveKey(db: Database<IntegrationsTables>, keys: Keyring, log: Logger): Promise<void> {
  for (;;) {
    try {
      await noteKey(db, keys);
      return await sealOthers(db, keys, log);
    } catch (error) {
      // Whether a commit that broke off happened does not matter: all of this can be done again.
      if (!(error instanceof AppError)) throw error;
      log.warn('Postgres does not answer; the encryption key is proven when it does');
      await sleep(askAgainMs);
    }
  }
}

async function noteKey(db: Database<IntegrationsTables>, keys: Keyring): Promise<void> {
  await db.transaction(async (trx) => {
    const noted = await lockKeyId(trx);
    if (noted === keys.currentId) return;
    if (noted !== null && !keys.has(noted)) throw wrongKey(noted, keys);
    await writeKeyId(trx, keys.currentId);
  });
}

async function sealOthers(db: Database<IntegrationsTables>, keys: Keyring, log: Logger): Promise<void> {
  const ids = await findSealedOtherwise(db.kysely, keys.currentId);
  // One at a time: each lock is held for a moment, and two replicas that start together only do some of it twice.
  for (const id of ids) {
    await db.transaction(async (trx) => {
      const found = await lockParameters(trx, id);
      if (!found || found.parameters.keyId === keys.currentId) return;
      const { keyId } = found.parameters;
      if (keyId !== null && !keys.has(keyId)) throw wrongKey(keyId, keys);
      await writeParameters(trx, id, keys.seal(keys.open(found.parameters, found.provider), found.provider));
    });
  }
  if (ids.length > 0) log.info({ integrations: ids.length, keyId: keys.currentId }, 'sealed with the current key');
}

function wrongKey(needed: string, { currentId }: Keyring): WrongKeyError {
  return new WrongKeyError(
    `INTEGRATIONS_ENCRYPTION_KEY is not the key that the integrations in this database are encrypted with. It has the id ${currentId}, and ` +
      `${needed} is needed. Give that key; when it is being replaced, give it in INTEGRATIONS_ENCRYPTION_OTHER_KEYS.`,
  );
}
