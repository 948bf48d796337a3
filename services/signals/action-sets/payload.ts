/** Matches the texts and the numbers of a text of JSON. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Parses the JSON text of a payload. A number above 2^53 becomes the text that was sent, because a rounded one could
 * name another flag than the sender did. Other numbers are those of JavaScript.
 */
export function parsePayload(text: string): unknown {
  return JSON.parse(text.replace(tokens, (token) => (isRounded(token) ? `"${token}"` : token)));
}

function isRounded(token: string): boolean {
  return !token.startsWith('"') && Math.abs(Number(token)) > Number.MAX_SAFE_INTEGER;
}
