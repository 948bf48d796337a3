import { randomUUID } from 'node:crypto';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { storeImportPart } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';

/**
 * The bytes of one part. A message has at most 1 MB unless the operator lowers it, and a byte has up to six characters
 * there, as an escape of a control character.
 */
const partBytes = 150_000;

/** Enough that Postgres and the bus work at the same time, and few enough that other requests come between them. */
const sendersOfParts = 4;

/** Each keeps this process busy while its parts are encoded. Other requests find room between the parts of two. */
const largeDocuments = new ConcurrencyLimit(2, 'Other imports took all of the time.');

/** Some editors write it, and the parser of other bodies ignores it. */
const byteOrderMark = Buffer.from('\ufeff');

/**
 * Sends the JSON text of a document. One that is too large for a message is sent in parts, which flags stores until the
 * request that names their upload. A small document is a part of that request. Only flags parses it: a large one would
 * delay all reads of this gateway. Throws `validation` for what cannot be an object, and `unavailable` when large ones
 * of others take all of the time.
 */
export async function sentDocument(
  bus: Pick<Bus, 'request'>,
  sent: Buffer,
  context: RequestContext,
): Promise<{ text: string } | { uploadId: string }> {
  const bytes = sent.indexOf(byteOrderMark) === 0 ? sent.subarray(byteOrderMark.length) : sent;
  requireObject(bytes);
  if (bytes.length <= partBytes) return { text: bytes.toString() };
  return { uploadId: await largeDocuments.run(context, () => sendParts(bus, bytes, context)) };
}

async function sendParts(bus: Pick<Bus, 'request'>, bytes: Buffer, context: RequestContext): Promise<string> {
  const uploadId = randomUUID();
  const pieces = partsOf(bytes, partBytes);
  let part = 0;
  const sendNext = async (): Promise<void> => {
    for (let next = pieces.next(); !next.done; next = pieces.next()) {
      const text = next.value.toString();
      await bus.request(storeImportPart, { uploadId, part: part++, text }, context);
    }
  };
  await Promise.all(Array.from({ length: sendersOfParts }, sendNext));
  return uploadId;
}

/** Only spaces may be before the object. The text of JSON has no NUL, which no service accepts in a text. */
function requireObject(bytes: Buffer): void {
  if (/^[ \t\r\n]{0,1000}\{/.test(bytes.toString('latin1', 0, 1_001)) && !bytes.includes(0)) return;
  throw new AppError('validation', 'The request body should be a JSON object.');
}

/** Divides a text in UTF-8 without dividing a character. What is not UTF-8 is divided anywhere. */
export function* partsOf(bytes: Buffer, length: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    let end = Math.min(at + length, bytes.length);
    // A character has up to three bytes after its first.
    for (let back = 0; back <= 3 && end - back > at; back += 1) {
      if (isWithinCharacter(bytes[end - back])) continue;
      end -= back;
      break;
    }
    yield bytes.subarray(at, end);
    at = end;
  }
}

function isWithinCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
