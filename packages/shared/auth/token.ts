import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Tokens. The accepted shapes are the public product's: `<project>:<environment>.<tail>` (SDK and admin), `user:<tail>`
 * (personal and service account), `signal_<tail>` (signal endpoints), and whatever an operator gave by environment variable.
 *
 * A tail that we make is `yd_<selector>_<secret><checksum>`: the selector is looked up, the secret is 256 random bits behind it,
 * and the checksum (CRC-32 over all before it) lets scanners find leaked tokens offline and lets us refuse a mistyped one
 * without asking anybody. Only the selector and the SHA-256 of the whole token are stored: for 256 random bits one SHA-256 is as
 * good as a slow hash. A token that we did not make gets a selector derived from its own hash.
 */
export interface PresentedToken {
  /** Looks the token up; tells nothing of the secret. */
  selector: string;
  /** base64url(SHA-256(whole token)), to be held against the stored one by `isSameHash`. */
  hash: string;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// log2(62) is 5.95 bits a letter: 22 letters are 131 bits, enough never to repeat; 43 are 256 bits of secret.
const selectorLength = 22;
const secretLength = 43;
// 62^6 is above 2^32.
const checksumLength = 6;
const ownTail = new RegExp(
  `yd_([0-9A-Za-z]{${selectorLength}})_[0-9A-Za-z]{${secretLength}}([0-9A-Za-z]{${checksumLength}})$`,
);

/** No accepted shape comes near; longer ones are refused before they are hashed. */
const maxTokenLength = 500;

/** Makes a token: `prefix` is all before the tail, such as `*:development.`, `user:` or `signal_`. */
export function makeToken(prefix: string): { token: string } & PresentedToken {
  const selector = randomLetters(selectorLength);
  const body = `${prefix}yd_${selector}_${randomLetters(secretLength)}`;
  const token = body + checksum(body);
  return { token, selector, hash: hashOf(token) };
}

/**
 * Reads a token as a client presents it, without any `Bearer `. Null when it cannot be a token: empty, too long, not printable
 * ASCII, or one of ours with a wrong checksum. Never throws.
 */
export function readToken(token: string): PresentedToken | null {
  if (token.length === 0 || token.length > maxTokenLength || !/^[\x21-\x7e]+$/.test(token)) return null;
  const own = ownTail.exec(token);
  if (own) {
    const [, selector, sum] = own;
    return checksum(token.slice(0, -checksumLength)) === sum
      ? { selector: selector as string, hash: hashOf(token) }
      : null;
  }
  const derived = hashOf(`yardarm selector${token}`);
  return { selector: `x${derived.slice(0, selectorLength)}`, hash: hashOf(token) };
}

/**
 * A token as listings show it, enough to tell tokens apart and to name one, and worth nothing to a thief: up to the selector when we made
 * it; of any other the prefix and the selector derived from it, since no letter of its tail is known to be no secret.
 */
export function redactToken(prefix: string, selector: string): string {
  return prefix + (selector.length === selectorLength ? `yd_${selector}` : selector);
}

const redactedTail = new RegExp(
  `[.:](?:yd_(?<own>[0-9A-Za-z]{${selectorLength}})|(?<derived>x[\\w-]{${selectorLength}}))$`,
);

/** The selectors of the token that a caller names, whole or as listings show it; the likelier first. Never throws. */
export function selectorsNamed(text: string): string[] {
  const { own, derived } = redactedTail.exec(text)?.groups ?? {};
  // What looks like a shown token may still be a whole one that somebody gave by a setting.
  return [own, readToken(text)?.selector, derived].filter((selector) => selector !== undefined);
}

/** The token of an `authorization` header, with or without `Bearer`; null when there is none. */
export function tokenOfHeader(header: string | undefined): string | null {
  const token = header?.trim().replace(/^bearer\s+/i, '') ?? '';
  return token === '' || /^bearer$/i.test(token) ? null : token;
}

/** Compares two hashes in constant time. */
export function isSameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
}

function randomLetters(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let letters = '';
  for (let i = 0; i < checksumLength; i += 1) {
    letters = alphabet[rest % alphabet.length] + letters;
    rest = Math.floor(rest / alphabet.length);
  }
  return letters;
}
