import { hash } from 'node:crypto';
import type { KeyClaim } from '@yardarm/shared/contracts/signals';
import { AppError, type JsonBounds, redactValue, requireJsonSize } from '@yardarm/shared/errors';
import { signalBounds } from '../routing/body-bounds.ts';
import { tooLargeError } from '../routing/error-body.ts';
import { decodeText, parseJson } from '../routing/json-text.ts';

/**
 * Below NATS's default of 1 MiB for a message. A text is longer in its message, because JSON escapes its quotes: up to
 * twice as long, so only a text of more than half can exceed it.
 */
const maxMessageBytes = 1_000_000;

/**
 * The JSON text of a payload as it was sent; `null` without a body. Throws `validation` unless it is JSON in UTF-8 of
 * within the bounds of signals, and `content-too-large` when its message would be.
 */
export function payloadText(bytes: Buffer): string {
  if (bytes.length === 0) return 'null';
  const text = jsonText(bytes, signalBounds);
  const isLong = bytes.length > maxMessageBytes / 2;
  if (isLong && Buffer.byteLength(JSON.stringify(text)) > maxMessageBytes) throw tooLargeError(maxMessageBytes);
  return text;
}

/** The text of a body. Throws `validation` unless it is JSON in UTF-8 within the bounds. */
export function jsonText(bytes: Buffer, bounds: JsonBounds): string {
  requireJsonSize(bytes, bounds);
  const text = decodeText(bytes);
  parseJson(text);
  return text;
}

/** The claim of an Idempotency-Key, with the hash of the body that was sent. Null without the header. */
export function claimOf(key: string | undefined, bytes: Buffer): KeyClaim | null {
  if (key === undefined) return null;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new AppError(
      'validation',
      `The Idempotency-Key header should have 1 to 255 printable ASCII characters. You sent ${redactValue(key, [])}.`,
    );
  }
  return { key, bodyHash: hash('sha256', bytes, 'base64url') };
}
