import { randomUUID } from 'node:crypto';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { discardImportParts, storeImportPart } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { ConcurrencyLimit, type MaybePromise } from '@yardarm/shared/waiting';
import { decodeText, textDecoder } from '../routing/json-text.ts';
import type { Call } from '../routing/route.ts';

/**
 * The bytes of one part. A message has at most 1 MB unless the operator lowers it, and a byte has up to six characters
 * there, as an escape of a control character.
 */
export const partBytes = 150_000;

/**
 * A part occupies flags for some milliseconds, and a change takes fifteen turns of its event loop. So other work gets
 * as long after each part as the part took, unless another caller's document waits. 20 MB take two seconds.
 */
const partTurns = new ConcurrencyLimit(1, 'Other imports took all of the time.', { restsFromMs: 0 });

/** By default a document has at most 134 parts, which one statement deletes. */
const discardMs = 5_000;

/**
 * Reads and sends the JSON text of a document. One that is too large for a message is sent in parts while it arrives.
 * So memory has one part of each. flags stores them until the request that names their upload. A small document is a
 * part of that request. Only flags parses it: a large one would delay all reads of this gateway. Throws `validation`
 * for what is no UTF-8 or cannot be an object, and `unavailable` when parts of other documents take all of the time.
 * The parts of a document that ends with an error are deleted.
 */
export async function sendDocument(
  bus: Pick<Bus, 'request'>,
  readChunks: Call<unknown, unknown, unknown>['readChunks'],
  context: RequestContext,
): Promise<{ text: string } | { uploadId: string }> {
  const uploadId = randomUUID();
  const decoder = textDecoder();
  let [text, bytes, parts] = ['', 0, 0];

  const take = (chunk: Buffer): MaybePromise<void> => {
    const room = partBytes - bytes;
    const taken = chunk.subarray(0, room);
    text += decodeText(taken, decoder, { stream: true });
    bytes += taken.length;
    if (chunk.length > room) return sendPart().then(() => take(chunk.subarray(room)));
  };
  const sendPart = async (): Promise<void> => {
    requireText(text, parts === 0);
    const part = { uploadId, part: parts, text };
    [text, bytes, parts] = ['', 0, parts + 1];
    await partTurns.run(context, () => bus.request(storeImportPart, part, context));
  };

  try {
    await readChunks(take);
    text += decodeText(undefined, decoder);
    if (parts > 0) await sendPart();
    else requireText(text, true);
  } catch (error) {
    // They expire if flags cannot be asked.
    if (parts > 0) await bus.request(discardImportParts, { uploadId }, afterwards(context)).catch(() => {});
    throw error;
  }
  return parts > 0 ? { uploadId } : { text };
}

/** The deadline of the request may be the reason for its end. */
function afterwards(context: RequestContext): RequestContext {
  return { ...context, deadline: Date.now() + discardMs };
}

/** Only spaces may be before the object. The text of JSON has no NUL, which no service accepts in a text. */
function requireText(text: string, isFirst: boolean): void {
  if ((!isFirst || /^[ \t\r\n]{0,1000}\{/.test(text)) && !text.includes('\0')) return;
  throw new AppError('validation', 'The request body should be a JSON object.');
}
