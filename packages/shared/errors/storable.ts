import { AppError } from './app-error.ts';
import { propertyName, redactValue } from './issues.ts';

/** More than ten times the nesting of our documents. A much deeper one overflows the stack when it is serialized. */
const maxNesting = 100;

/** Throws `validation` for a document that is nested too deep to be serialized. */
export function refuseTooDeep(value: unknown): void {
  walk(value, [], () => {});
}

/**
 * Throws `validation` for the first text that Postgres cannot store unchanged: one with U+0000, which no text column
 * accepts, or with a lone surrogate, which would be read as another character. Also refuses a document that is nested
 * too deep.
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
  if (path.length > maxNesting) {
    throw new AppError('validation', `The request is nested deeper than ${maxNesting} levels.`);
  }
  if (typeof value === 'string') visitText(value, path);
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = [...path, Array.isArray(value) ? Number(key) : key];
    visitText(key, innerPath);
    walk(inner, innerPath, visitText);
  }
}

function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
