import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Tokens have the public product's shapes: `<project>:<environment>.<tail>` (SDK and admin), `user:<tail>` (personal
 * and service account), `signal_<tail>` (signal endpoints), and any text that an operator sets by environment variable.
 *
 * A tail that this system makes is `yd_<selector>_<secret><checksum>`. The selector finds the row. The secret has 256
 * random bits. The checksum is CRC-32 over all characters before it: scanners find leaked tokens offline, and a
 * mistyped token is refused without a query. Only the selector and the SHA-256 of the whole token are stored: one
 * SHA-256 of 256 random bits is as safe as a slow hash. A token of another make gets a selector derived from its hash.
 */
export interface PresentedToken {
  /** Finds the row of the token; reveals nothing of the secret. */
  selector: string;
  /** base64url(SHA-256(whole token)), compared with the stored hash by `isSameHash`. */
  hash: string;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// A letter has log2(62) = 5.95 bits: 22 letters have 131 bits, which never repeat; 43 letters have 256 bits.
const selectorLength = 22;
const secretLength = 43;
// 62^6 is greater than 2^32.
const checksumLength = 6;
const ownTail = new RegExp(
  `yd_([0-9A-Za-z]{${selectorLength}})_[0-9A-Za-z]{${secretLength}}([0-9A-Za-z]{${checksumLength}})$`,
);

/** All accepted shapes are much shorter. Longer texts are refused before they are hashed. */
const maxTokenLength = 500;

/** Makes a token. `prefix` is the part before the tail, such as `*:development.`, `user:` or `signal_`. */
export function makeToken(prefix: string): { token: string } & PresentedToken {
  const selector = randomLetters(selectorLength);
  const body = `${prefix}yd_${selector}_${randomLetters(secretLength)}`;
  const token = body + checksum(body);
  return { token, selector, hash: hashOf(token) };
}

/** Reads a token without `Bearer`. Null if empty, too long, not printable ASCII or with a wrong checksum. */
export function readToken(token: string): PresentedToken | null {
  if (token.length === 0 || token.length > maxTokenLength || !/^[\x21-\x7e]+$/.test(token)) return null;
  const own = ownTail.exec(token);
  if (own) {
    const [, selector, sum] = own;
    return checksum(token.slice(0, -checksumLength)) === sum
      ? { selector: copyOf(selector as string), hash: hashOf(token) }
      : null;
  }
  const derived = hashOf(`yardarm selector${token}`);
  return { selector: `x${derived.slice(0, selectorLength)}`, hash: hashOf(token) };
}

/**
 * The form of a token in listings. It identifies a token and gives no access. A token of our own ends at the selector.
 * Any other is shown as its prefix and its derived selector, since every letter of its tail may be secret.
 */
export function redactToken(prefix: string, selector: string): string {
  return prefix + (selector.length === selectorLength ? `yd_${selector}` : selector);
}

const redactedTail = new RegExp(
  `[.:](?:yd_(?<own>[0-9A-Za-z]{${selectorLength}})|(?<derived>x[\\w-]{${selectorLength}}))$`,
);

/** The possible selectors of a token that a caller names, whole or redacted; the likelier first. Never throws. */
export function possibleSelectors(text: string): string[] {
  const { own, derived } = redactedTail.exec(text)?.groups ?? {};
  // A text that looks redacted may be a whole token that an operator set.
  return [own, readToken(text)?.selector, derived].filter((selector) => selector !== undefined);
}

/** Returns the token of an `authorization` header, with or without `Bearer`; null without one. */
export function tokenOfHeader(header: string | undefined): string | null {
  const token = header?.trim().replace(/^bearer\s+/i, '') ?? '';
  return token === '' || /^bearer$/i.test(token) ? null : token;
}

/**
 * A copy of an ASCII text, for what is kept. V8 makes the part of a text as a reference to the whole: a token that is
 * kept would keep its header, of up to 16 kB.
 */
export function copyOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
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
