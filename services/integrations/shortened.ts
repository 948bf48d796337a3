/** The first characters of a text, as a copy. A part of a string keeps the whole string in memory. */
export function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? Buffer.from(text.slice(0, maxLength)).toString() : text;
}
