import { randomUUID } from 'node:crypto';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { storeImportPart } from '@yardarm/shared/contracts/flags';

/**
 * The characters of one part. A message has at most 1 MB unless the operator lowers it. A character has up to three
 * bytes, or six as an escape of a control character.
 */
const partLength = 150_000;

/**
 * Sends a document that is too large for a message in parts, which flags stores until the request that names their
 * upload. A small document is a part of that request.
 */
export async function sentDocument(
  bus: Pick<Bus, 'request'>,
  text: string,
  context: RequestContext,
): Promise<{ text: string } | { uploadId: string }> {
  if (text.length <= partLength) return { text };
  const uploadId = randomUUID();
  for (const [part, piece] of partsOf(text, partLength).entries()) {
    await bus.request(storeImportPart, { uploadId, part, text: piece }, context);
  }
  return { uploadId };
}

/** Divides a text without dividing a character that consists of two surrogates. */
export function partsOf(text: string, length: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + length;
    const isWithin = end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1]!);
    parts.push(text.slice(at, isWithin ? end - 1 : end));
    at = isWithin ? end - 1 : end;
  }
  return parts;
}
