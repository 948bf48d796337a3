import { AppError } from '@yardarm/shared/errors';
import type { TimeSlicer } from '@yardarm/shared/waiting';

/** An export has a value per 15 bytes, so one of 20 MB has at most 1.4 million. Two million take 110 MB. */
const maxValues = 2_000_000;
/** More than ten times the nesting of a document. */
const maxNesting = 100;
/** The strategies of a flag have at most 500 kB, and a constraint value takes more than ten bytes. */
export const maxValuesOfItem = 50_000;
/** Of a list in an object of the document. */
const listDepth = 3;
/** The names of lists are shorter. */
const maxShownName = 50;

/** A part of it takes about a millisecond to parse, unless its only item is larger. */
const portionLength = 150_000;
/** Others are parsed with what is around the lists. */
const minListLength = 10_000;

const [quote, backslash, comma, listOpens, objectOpens] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];
const closing = new Set([0x5d, 0x7d]);

/** A long list in an object of the document, such as `.data.features`: from its first item to its end. */
export interface FoundList {
  start: number;
  end: number;
  /** Where its portions begin. A portion ends before the comma that precedes the next one. */
  portions: number[];
}

/**
 * Finds the long lists of a JSON text, which may be malformed. Throws `bad-data` for too many values, in the document
 * or in one item, and `validation` for too many levels: six million empty objects fit into 20 MB, and parsing them
 * takes seconds and a gigabyte.
 */
export async function findLists(text: string, slicer: TimeSlicer): Promise<FoundList[]> {
  const lists: FoundList[] = [];
  let list: FoundList | null = null;
  let [values, depth, isInText, isEscaped, textStart] = [1, 0, false, false, 0];
  let item = { values: 0, index: 0 };
  /** The last text of the first two levels, which is the name of what is open. */
  const names = ['', '', ''];
  const endItem = () => {
    if (values - item.values > maxValuesOfItem) throw itemTooLarge(`.${names[1]}.${names[2]}[${item.index}]`);
    item = { values, index: item.index + 1 };
  };
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isEscaped) isEscaped = false;
    else if (isInText) {
      if (unit === backslash) isEscaped = true;
      else if (unit === quote) {
        isInText = false;
        if (depth <= 2) names[depth] = text.slice(textStart, Math.min(at, textStart + maxShownName));
      }
    } else if (unit === quote) {
      isInText = true;
      textStart = at + 1;
    } else if (unit === comma) {
      values += 1;
      if (list !== null && depth === listDepth) {
        endItem();
        if (at - list.portions.at(-1)! >= portionLength) list.portions.push(at + 1);
      }
    } else if (unit === listOpens || unit === objectOpens) {
      values += 1;
      depth += 1;
      if (depth > maxNesting)
        throw new AppError('validation', `The request is nested deeper than ${maxNesting} levels.`);
      if (depth === listDepth) {
        list = unit === listOpens ? { start: at + 1, end: at + 1, portions: [at + 1] } : null;
        item = { values, index: 0 };
      }
    } else if (closing.has(unit)) {
      if (list !== null && depth === listDepth) {
        endItem();
        list.end = at;
        if (at - list.start >= minListLength) lists.push(list);
        list = null;
      }
      depth -= 1;
    }
    if (at % portionLength === 0) await slicer.next();
  }
  if (values <= maxValues) return lists;
  throw new AppError('bad-data', `The document should have at most ${maxValues} values. You sent ${values}.`);
}

export function itemTooLarge(path: string): AppError {
  return new AppError('bad-data', `The ${path} property should have at most ${maxValuesOfItem} values.`);
}
