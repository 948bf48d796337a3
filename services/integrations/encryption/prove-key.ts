import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@yardarm/shared/db';
import type { Keyring } from '@yardarm/shared/encryption';
import { AppError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { IntegrationsTables } from '../db/schema.ts';
import {
  findIntegrationsWithOtherKey,
  lockKeyId,
  lockParameters,
  updateKeyId,
  updateParameters,
} from './encryption.repo.ts';

/** A Postgres that starts at the same time is ready within seconds; one attempt per second is no load. */
const retryMs = 1_000;

/** The integrations in the database are encrypted with a key that this process does not have. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError';
}

/**
 * Checks at the start that the keys decrypt the stored values, and encrypts the remaining values with the current key:
 * plain text from a release without encryption, and after a rotation the values of the old key. Waits for Postgres
 * without a limit.
 *
 *   no key stored        The first start. Stores the id of the current key.
 *   current key stored   Only values of a replica that still encrypts with the old key remain.
 *   other key of ours    A rotation. Stores the id of the current key and encrypts every value again.
 *   unknown key          WrongKeyError. The start fails; nothing was changed or sent.
 *
 * Every value carries the id of its key and decrypts with any key of the ring. So replicas at different steps of a
 * rotation read each other's values as long as each has both keys.
 */
export async function proveKey(db: Database<IntegrationsTables>, keys: Keyring, log: Logger): Promise<void> {
  for (;;) {
    try {
      await storeKeyId(db, keys);
      return await sealOthers(db, keys, log);
    } catch (error) {
      // It does not matter whether an interrupted commit succeeded: every step can be repeated.
      if (!(error instanceof AppError)) throw error;
      log.warn('Postgres does not answer; the encryption key is checked when it does');
      await sleep(retryMs);
    }
  }
}

async function storeKeyId(db: Database<IntegrationsTables>, keys: Keyring): Promise<void> {
  await db.transaction(async (trx) => {
    const storedId = await lockKeyId(trx);
    if (storedId === keys.currentId) return;
    if (storedId !== null && !keys.has(storedId)) throw wrongKey(storedId, keys);
    await updateKeyId(trx, keys.currentId);
  });
}

async function sealOthers(db: Database<IntegrationsTables>, keys: Keyring, log: Logger): Promise<void> {
  const ids = await findIntegrationsWithOtherKey(db.kysely, keys.currentId);
  // One at a time, so that each lock is short. Two replicas that start together only repeat some of the work.
  for (const id of ids) {
    await db.transaction(async (trx) => {
      const found = await lockParameters(trx, id);
      if (!found || found.parameters.keyId === keys.currentId) return;
      const { keyId } = found.parameters;
      if (keyId !== null && !keys.has(keyId)) throw wrongKey(keyId, keys);
      await updateParameters(trx, id, keys.seal(keys.open(found.parameters, found.provider), found.provider));
    });
  }
  if (ids.length > 0)
    log.info({ integrations: ids.length, keyId: keys.currentId }, 'encrypted parameters with the current key');
}

function wrongKey(needed: string, { currentId }: Keyring): WrongKeyError {
  return new WrongKeyError(
    `INTEGRATIONS_ENCRYPTION_KEY is not the key that the integrations in this database are encrypted with. It has the id ${currentId}, and ` +
      `${needed} is needed. Give that key; when it is being replaced, give it in INTEGRATIONS_ENCRYPTION_OTHER_KEYS.`,
  );
}
