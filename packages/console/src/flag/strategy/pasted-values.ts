/** What is read of a pasted text. */
export interface Pasted {
  /** All values, those before first. */
  values: string[];
  added: number;
  /** Values that were there before, or occurred twice. */
  duplicates: number;
}

/**
 * Adds values of a text, between commas or on lines of their own. Blanks around a value are dropped. A comma within
 * double quotes is a part of its value, as in CSV.
 */
export function withPasted(present: readonly string[], text: string): Pasted {
  const values = new Set(present);
  let found = 0;
  for (const [, quoted, plain] of text.matchAll(/\s*(?:"((?:[^"]|"")*)"(?=\s*(?:[,\n\r]|$))|([^,\n\r]+))/g)) {
    const value = (quoted?.replaceAll('""', '"') ?? plain!).trim();
    if (value === '') continue;
    found += 1;
    values.add(value);
  }
  const added = values.size - present.length;
  return { values: [...values], added, duplicates: found - added };
}

/** As in `12 values added, 3 were there already`. */
export function pastedInWords({ added, duplicates }: Pasted): string {
  const count = (number: number) => (number === 1 ? 'One value' : `${number.toLocaleString('en')} values`);
  const first = added === 0 ? 'No value added' : `${count(added)} added`;
  return duplicates === 0 ? `${first}.` : `${first}, ${duplicates.toLocaleString('en')} dropped as duplicates.`;
}
