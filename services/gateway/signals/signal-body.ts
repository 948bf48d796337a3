import { hash } from 'node:crypto';
import type { KeyClaim } from '@yardarm/shared/contracts/signals';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { tooLargeError } from '../routing/error-body.ts';
import { parseJson } from '../routing/json-text.ts';

/** As for other bodies. Much deeper JSON overflows the stack of programs that read it. */
export const maxNesting = 100;
/**
 * Below NATS's default of 1 MiB for a message. A text is longer in its message, because JSON escapes its quotes: up to
 * twice as long, so only a text of more than half can exceed it.
 */
const maxMessageBytes = 1_000_000;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The JSON text of a payload as it was sent; `null` without a body. Throws `validation` unless it is JSON in UTF-8 of
 * at most `maxNesting` levels, and `content-too-large` when its message would be.
 */
export function payloadText(bytes: Buffer): string {
  if (bytes.length === 0) return 'null';
  const text = jsonText(bytes, maxNesting);
  const isLong = bytes.length > maxMessageBytes / 2;
  if (isLong && Buffer.byteLength(JSON.stringify(text)) > maxMessageBytes) throw tooLargeError(maxMessageBytes);
  return text;
}

/** The text of a body. Throws `validation` unless it is JSON in UTF-8 of at most so many levels. */
export function jsonText(bytes: Buffer, levels: number): string {
  const text = decode(bytes);
  if (isDeeper(parseJson(text), levels)) {
    throw new AppError('validation', `The request is nested deeper than ${levels} levels.`);
  }
  return text;
}

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new AppError('validation', 'The request body is not well-formed UTF-8.');
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
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
