import { payloadSearchSchema } from '@yardarm/shared/contracts/signals';

export interface PayloadSearch {
  /** The keys and indexes from the payload to the value, as Postgres takes them. */
  path: readonly string[];
  /** The values of the payload that match, each as JSON. */
  values: readonly string[];
  /**
   * Documents that contain only the path and one of the values, as JSON. Each match contains one of them, and the index
   * finds the rows that do. An index of an array is lost in them: any item may contain the rest.
   */
  within: readonly string[];
}

const step = /\.?([^.[\]="]+)|\[(\d+)\]|\["((?:[^"\\]|\\["\\])*)"\]/y;

/** Reads a search that conforms to its schema: a path, `=`, and the text of the value. */
export function readPayloadSearch(text: string): PayloadSearch {
  payloadSearchSchema.parse(text);
  const path: { name: string; isIndex: boolean }[] = [];
  step.lastIndex = 0;
  let end = 0;
  for (let match = step.exec(text); match !== null; match = step.exec(text)) {
    end = step.lastIndex;
    const [, key, index, quoted] = match;
    path.push({ name: key ?? index ?? unquote(quoted as string), isIndex: index !== undefined });
  }
  const values = jsonOf(text.slice(end + 1));
  const wrap = (value: string) =>
    path.reduceRight(
      (inner, { name, isIndex }) => (isIndex ? `[${inner}]` : `{${JSON.stringify(name)}:${inner}}`),
      value,
    );
  // Postgres takes an index as a number: `[007]` is the item 7.
  const names = path.map(({ name, isIndex }) => (isIndex ? String(Number(name)) : name));
  return { path: names, values, within: values.map(wrap) };
}

function unquote(quoted: string): string {
  return quoted.replaceAll(/\\(["\\])/g, '$1');
}

/** Postgres refuses numbers with more than about 131,000 digits, which an exponent of three digits cannot reach. */
const literal = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)$/;

/** The text itself, and what it says as a number, truth value or null. */
function jsonOf(text: string): string[] {
  return literal.test(text) ? [JSON.stringify(text), text] : [JSON.stringify(text)];
}
