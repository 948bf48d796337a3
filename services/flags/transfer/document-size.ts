import { AppError, JsonSize } from '@yardarm/shared/errors';
import type { TimeSlicer } from '../time-slicer.ts';

/**
 * An export has a value per 15 bytes, so one of 20 MB has at most 1.4 million. Parsing two million takes 0.2 s and
 * 110 MB, during which this process does nothing else.
 */
const maxValues = 2_000_000;
/** More than ten times the nesting of a document. */
const maxNesting = 100;

/**
 * Throws `bad-data` for a JSON text with too many values or levels, before it is parsed: six million empty objects fit
 * into 20 MB, and parsing them takes seconds and a gigabyte.
 */
export async function requireParsable(parts: readonly string[], slicer: TimeSlicer): Promise<void> {
  const size = new JsonSize(maxNesting);
  for (const part of parts) {
    size.add(Buffer.from(part));
    await slicer.next();
  }
  if (size.values <= maxValues) return;
  throw new AppError('bad-data', `The document should have at most ${maxValues} values. You sent ${size.values}.`);
}
