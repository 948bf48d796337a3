/**
 * An event must have the same form in every process, and the depth of the stack differs between processes. Hence a
 * fixed limit. No event of a Yardarm service is a tenth as deep.
 */
const maxDepth = 1_000;

/**
 * The RFC 8785 form of a JSON value: keys in the order of their UTF-16 code units, no white space, numbers and strings
 * as ECMAScript writes them. Throws RangeError for a value nested deeper than `maxDepth`.
 *
 * An event's data may hold half a surrogate pair, for which the RFC has no form. This function writes its JSON escape.
 * Libraries refuse it, as the RFC says, and would leave such an event without a hash.
 */
export function canonicalForm(value: unknown, depth = 0): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (depth === maxDepth) throw new RangeError(`nested deeper than ${maxDepth} levels`);
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
