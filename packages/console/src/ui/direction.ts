/** Marks that change the direction of what follows, so that a text does not read as it is. */
const marks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Such marks, and letters that are written from right to left. */
const turning = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}]/u;

/** Somebody's text within a sentence: it turns no other word of it. Its own marks are left out. */
export function isolated(text: string): string {
  return turning.test(text) ? `\u2068${text.replace(marks, '')}\u2069` : text;
}

/** A value as JSON, for people. Marks of direction are escaped. */
export function shownJson(value: unknown, indentation?: number): string {
  const text = JSON.stringify(value, null, indentation);
  return text.replace(marks, (mark) => `\\u${mark.codePointAt(0)!.toString(16).padStart(4, '0')}`);
}
