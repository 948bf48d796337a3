import { AppError } from '@yardarm/shared/errors';
import type { TimeSlicer } from '../time-slicer.ts';

/**
 * An export has a value per 15 bytes, so one of 20 MB has at most 1.4 million. Parsing two million takes 0.2 s and
 * 110 MB, during which this process does nothing else.
 */
const maxValues = 2_000_000;
/** More than ten times the nesting of a document. */
const maxNesting = 100;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/**
 * Throws `bad-data` for a JSON text with too many values or levels, before it is parsed: six million empty objects fit
 * into 20 MB, and parsing them takes seconds and a gigabyte.
 */
export async function requireParsable(parts: readonly string[], slicer: TimeSlicer): Promise<void> {
  let [values, depth, isInText, isEscaped] = [1, 0, false, false];
  for (const part of parts) {
    for (let at = 0; at < part.length; at += 1) {
      const unit = part.charCodeAt(at);
      if (isEscaped) isEscaped = false;
      else if (isInText) {
        if (unit === quote) isInText = false;
        else if (unit === backslash) isEscaped = true;
      } else if (unit === quote) isInText = true;
      else if (unit === comma) values += 1;
      else if (opening.has(unit)) {
        values += 1;
        depth += 1;
        if (depth > maxNesting) {
          throw new AppError('validation', `The request is nested deeper than ${maxNesting} levels.`);
        }
      } else if (closing.has(unit)) depth -= 1;
    }
    await slicer.next();
  }
  if (values <= maxValues) return;
  throw new AppError('bad-data', `The document should have at most ${maxValues} values. You sent ${values}.`);
}

/** Whether a value has at most `maximum` values within. */
export function hasAtMost(maximum: number, value: unknown): boolean {
  let rest = maximum;
  const count = (inner: unknown): boolean => {
    rest -= 1;
    if (rest < 0) return false;
    return inner === null || typeof inner !== 'object' || Object.values(inner).every(count);
  };
  return count(value);
}
