/** Texts and the characters that structure JSON. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/** The text of a member of a JSON object, as it was sent. Of several with the name the last one, as JSON.parse does. */
export function memberText(object: string, name: string): string | undefined {
  let found: string | undefined;
  let key = '';
  let depth = 0;
  let valueAt = 0;
  for (const { 0: token, index } of object.matchAll(tokens)) {
    if (depth === 1 && token === ':') valueAt = index + 1;
    if (depth === 1 && valueAt === 0 && token.startsWith('"')) key = token;
    if (depth === 1 && (token === ',' || token === '}')) {
      if (valueAt > 0 && JSON.parse(key) === name) found = object.slice(valueAt, index).trim();
      valueAt = 0;
    }
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
  }
  return found;
}
