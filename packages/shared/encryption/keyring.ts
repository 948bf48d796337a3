import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** A stored value: the id of its encryption key, and nonce, tag and ciphertext in base64. */
export interface Sealed {
  /** Null for plain text from a release without encryption. The next start encrypts it. */
  keyId: string | null;
  text: string;
}

export interface Keyring {
  /** Identifies the current key without revealing it: equal ids are equal keys. */
  readonly currentId: string;
  has(keyId: string): boolean;
  /** Encrypts with the current key. The value decrypts with the same `purpose` only. */
  seal(plain: string, purpose: string): Sealed;
  /** Throws if the key is not in the ring, or if the value or its purpose differs. */
  open(sealed: Sealed, purpose: string): string;
}

/**
 * AES-256-GCM as recommended by NIST SP 800-38D: a random 96-bit nonce (for up to 2^32 values per key) and a full tag.
 */
const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** 64 bits of the fingerprint distinguish all keys that will ever be used. */
const idCharacters = 16;

/** The key of docker-compose.yml, which is in a public repository. */
export const publishedKey = Buffer.from('yardarm-development-key-32-bytes');

/** Reads a key of 32 bytes in base64; null for anything else. */
export function readKey(base64: string): Buffer | null {
  const key = Buffer.from(base64, 'base64');
  return key.length === keyBytes && key.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '')
    ? key
    : null;
}

/**
 * A ring of the key that encrypts and others that only decrypt: the old key after a rotation, the new one before it.
 */
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

/** A keyed hash of a fixed text, which reveals nothing about the key. */
function idOf(key: Buffer): string {
  return createHmac('sha256', key).update('yardarm integrations key id').digest('hex').slice(0, idCharacters);
}
