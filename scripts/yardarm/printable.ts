/** C0 and C1, DEL, and the characters that reverse the direction of text. */
const unprintable = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escapeOf = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A text of a service or an event for a terminal. Control characters in it could colour, hide or replace what the
 * terminal shows, so each is printed as its escape in JSON.
 */
export function printable(text: string): string {
  return text.replace(unprintable, escapeOf);
}

/** JSON for a terminal, with the line breaks of its layout. It is the same JSON: only texts have control characters. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).split('\n').map(printable).join('\n');
}
