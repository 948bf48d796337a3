/**
 * No event of ours is a tenth as deep. How deep a stack goes differs from one process to the next, and an event must have the same
 * form in all of them: beyond this it has none.
 */
const deepestNesting = 1_000;

/**
 * The RFC 8785 form of a value that JSON can carry: keys in the order of their UTF-16 code units, no white space, numbers and texts as
 * ECMAScript writes them. Half a surrogate pair, for which the RFC has no form and which an event's data may hold, is written as its
 * escape, as everywhere in JSON: libraries refuse it, as the RFC says, and would leave such an event without a hash. Throws RangeError for what is nested deeper than a thousand levels.
 */
export function canonicalForm(value: unknown, depth = 0): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (depth === deepestNesting) throw new RangeError(`nested deeper than ${deepestNesting} levels`);
  let form = '';
  if (Array.isArray(value)) {
    for (const element of value) form += (form === '' ? '' : ',') + canonicalForm(element, depth + 1);
    return `[${form}]`;
  }
  for (const key of Object.keys(value).sort()) {
    form += form === '' ? '' : ',';
    form += `${JSON.stringify(key)}:${canonicalForm((value as Record<string, unknown>)[key], depth + 1)}`;
  }
  return `{${form}}`;
}
