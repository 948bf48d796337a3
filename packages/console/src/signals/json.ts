interface Source {
  source?: string;
}

/** Not in the types of TypeScript yet, nor in every browser. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };

/**
 * Parses JSON so that `shownJson` writes its large numbers as they were sent: a rounded id would name something else.
 * A browser that cannot tell what was sent rounds them.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }: Source = {}) => {
    const isRounded = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
    return isRounded && source !== undefined && rawJSON !== undefined ? rawJSON(source) : value;
  });
}

/** Marks that change the direction of what follows, so that a text does not read as it is. */
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A value as JSON, for people. Marks of direction are escaped. */
export function shownJson(value: unknown, indentation?: number): string {
  const text = JSON.stringify(value, null, indentation);
  return text.replace(directionMarks, (mark) => `\\u${mark.codePointAt(0)!.toString(16).padStart(4, '0')}`);
}
