import { AppError, shownValue } from '@yardarm/shared/errors';

type Path = readonly (string | number)[];

/**
 * Gives the input back, or throws `validation` naming the first text in it that Postgres cannot keep as it was sent: U+0000,
 * which no text column takes, and half of a surrogate pair, which would come back as another character.
 */
export function refuseUnstorable<Input>(input: Input): Input {
  const found = unstorable(input, []);
  if (found === null) return input;
  const property = found.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  const sent = shownValue(found.text, found.path);
  throw new AppError(
    'validation',
    `The ${property} property should hold well-formed Unicode without the character U+0000. You sent ${sent}.`,
  );
}

/** An input is as deep as a contract lets it be but for the values of a JSON Patch, of which only plain ones are stored. */
const deepest = 20;

function unstorable(value: unknown, path: Path): { path: Path; text: string } | null {
  if (typeof value === 'string')
    return value.includes('\u0000') || !value.isWellFormed() ? { path, text: value } : null;
  if (typeof value !== 'object' || value === null || path.length >= deepest) return null;
  const inArray = Array.isArray(value);
  for (const [key, inner] of Object.entries(value)) {
    const found = unstorable(key, [...path, key]) ?? unstorable(inner, [...path, inArray ? Number(key) : key]);
    if (found) return found;
  }
  return null;
}
