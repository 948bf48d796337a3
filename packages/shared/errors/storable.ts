import { AppError } from './app-error.ts';
import { propertyName, redactValue } from './issues.ts';

/**
 * How deep a document may be nested. None of ours is a tenth as deep, and one that is much deeper overflows the stack where it is
 * written out again.
 */
const deepestNesting = 100;

/** Throws `validation` for a document that is nested too deep to be written out again. */
export function refuseTooDeep(value: unknown): void {
  walk(value, [], () => {});
}

/**
 * Throws `validation` naming the first text that Postgres cannot keep as it was sent: U+0000, which no text column takes, and half of
 * a surrogate pair, which would come back as another character. Also refuses what is nested too deep.
 */
export function refuseUnstorable(value: unknown): void {
  walk(value, [], (text, path) => {
    if (isStorableText(text)) return;
    throw new AppError(
      'validation',
      `The ${propertyName(path)} property should be well-formed Unicode without the character U+0000. You sent ${redactValue(text, path)}.`,
    );
  });
}

type Path = readonly (string | number)[];

function walk(value: unknown, path: Path, visitText: (text: string, path: Path) => void): void {
  if (path.length > deepestNesting) {
    throw new AppError('validation', `The request is nested deeper than ${deepestNesting} levels.`);
  }
  if (typeof value === 'string') visitText(value, path);
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = [...path, Array.isArray(value) ? Number(key) : key];
    visitText(key, innerPath);
    walk(inner, innerPath, visitText);
  }
}

/** Whether Postgres can keep the text as it is. */
function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
