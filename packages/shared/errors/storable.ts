import { AppError } from './app-error.ts';
import { propertyName, redactValue } from './issues.ts';

/** More than ten times the nesting of our documents. A much deeper one overflows the stack when it is serialized. */
const maxNesting = 100;

/**
 * Throws `validation` for a document that cannot be serialized unchanged: one that is nested too deep, or one with a
 * number such as 1e400, which is parsed as infinity and serialized as null.
 */
export function refuseUnserializable(value: unknown, path: Path = []): void {
  // Every body is checked, and the walk with its paths takes three times as long.
  if (isSerializable(value, 0)) return;
  walk(value, path, (leaf, at) => {
    if (typeof leaf !== 'number' || Number.isFinite(leaf)) return;
    throw new AppError('validation', `The ${propertyName(at)} property should be a number of 64 bits.`);
  });
}

/**
 * Throws `validation` for the first text that Postgres cannot store unchanged: one with U+0000, which no text column
 * accepts, or with a lone surrogate, which would be read as another character. Also refuses a document that is nested
 * too deep. `path` is that of the value in the whole document.
 */
export function refuseUnstorable(value: unknown, path: Path = []): void {
  if (isStorable(value, 0)) return;
  walk(value, path, (text, at) => {
    if (typeof text !== 'string' || isStorableText(text)) return;
    throw new AppError(
      'validation',
      `The ${propertyName(at)} property should be well-formed Unicode without the character U+0000. You sent ${redactValue(text, at)}.`,
    );
  });
}

function isSerializable(value: unknown, depth: number): boolean {
  if (depth > maxNesting) return false;
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every((item) => isSerializable(item, depth + 1));
  for (const key in value) if (!isSerializable((value as Record<string, unknown>)[key], depth + 1)) return false;
  return true;
}

function isStorable(value: unknown, depth: number): boolean {
  if (depth > maxNesting) return false;
  if (typeof value === 'string') return isStorableText(value);
  if (value === null || typeof value !== 'object') return true;
  if (Array.isArray(value)) return value.every((item) => isStorable(item, depth + 1));
  for (const key in value) {
    if (!isStorableText(key) || !isStorable((value as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
}

type Path = readonly (string | number)[];

function walk(value: unknown, path: Path, visit: (leaf: unknown, path: Path) => void): void {
  if (path.length > maxNesting) {
    throw new AppError('validation', `The request is nested deeper than ${maxNesting} levels.`);
  }
  if (value === null || typeof value !== 'object') {
    visit(value, path);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = [...path, Array.isArray(value) ? Number(key) : key];
    visit(key, innerPath);
    walk(inner, innerPath, visit);
  }
}

/** Whether Postgres can store the text, and keeps it unchanged. */
export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
