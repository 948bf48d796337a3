import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** A value as it lies in the database: the key it was encrypted with by its id, and nonce, tag and ciphertext in base64. */
export interface Sealed {
  /** Null: a value from before there was encryption, in clear. It is sealed at the next start. */
  keyId: string | null;
  text: string;
}

/** The keys that this process was given. */
export interface Keyring {
  /** What says which key is the current one without telling it: equal ids are equal keys. */
  readonly currentId: string;
  has(keyId: string): boolean;
  /** Encrypts with the current key. `purpose` is bound to the value: it opens for no other. */
  seal(plain: string, purpose: string): Sealed;
  /** Throws when the key is not in the ring, and when the value or its purpose is another than was sealed. */
  open(sealed: Sealed, purpose: string): string;
}

/** AES-256-GCM, as NIST SP 800-38D recommends it: a random nonce of 96 bits (good for 2^32 values of one key), a whole tag. */
const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** What of the fingerprint is kept as an id: 64 bits tell any keys apart that anybody will ever have. */
const idCharacters = 16;

/** Reads a key of 32 bytes in base64; null for what is none. */
export function readKey(base64: string): Buffer | null {
  const key = Buffer.from(base64, 'base64');
  return key.length === keyBytes && key.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '')
    ? key
    : null;
}

/** A ring of the key that seals and of others that only open: the old ones after a rotation, the new one before it. */
export function keyringOf(current: Buffer, others: readonly Buffer[] = []): Keyring {
  const keys = new Map([current, ...others].map((key) => [idOf(key), key]));
  const currentId = idOf(current);
  return {
    currentId,
    has: (keyId) => keys.has(keyId),
    seal(plain, purpose) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, current, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(purpose));
      const ciphertext = Buffer.concat([sealing.update(plain, 'utf8'), sealing.final()]);
      return { keyId: currentId, text: Buffer.concat([nonce, sealing.getAuthTag(), ciphertext]).toString('base64') };
    },
    open({ keyId, text }, purpose) {
      if (keyId === null) return text;
      const key = keys.get(keyId);
      if (!key) throw new Error(`there is no key with the id ${keyId}`);
      const bytes = Buffer.from(text, 'base64');
      const nonce = bytes.subarray(0, nonceBytes);
      const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()]).toString('utf8');
    },
  };
}

/** A keyed hash of a fixed text: says nothing of the key. */
function idOf(key: Buffer): string {
  return createHmac('sha256', key).update('yardarm integrations key id').digest('hex').slice(0, idCharacters);
}
