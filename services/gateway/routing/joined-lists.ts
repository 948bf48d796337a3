/**
 * The text of an object of lists, without its braces, of outputs in JSON that each have some of the items: those of the
 * first list before those of the second. A piece ends before the comma that follows it. Memory has one output. Throws
 * for an item of a list that has ended, since the answer has begun.
 */
export async function* joinedLists(
  fields: readonly string[],
  bodies: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const itemsOf = readerOf(fields);
  let open = 0;
  let isEmpty = true;
  let text: Uint8Array[] = [headOf(fields[0]!)];
  for await (const body of bodies) {
    for (const [index, items] of itemsOf(body)) {
      if (items.length === 0) continue;
      if (index < open) throw new Error(`items of ${fields[index]} came after those of ${fields[open]}`);
      if (index === open && isEmpty) text.push(items);
      else {
        if (index > open) text.push(Buffer.from(`]${emptyLists(fields.slice(open + 1, index))}`));
        yield Buffer.concat(text);
        text = index > open ? [headOf(fields[index]!), items] : [items];
      }
      open = index;
      isEmpty = false;
    }
  }
  yield Buffer.concat([...text, Buffer.from(`]${emptyLists(fields.slice(open + 1))}`)]);
}

const headOf = (field: string) => Buffer.from(`${JSON.stringify(field)}:[`);

function emptyLists(fields: readonly string[]): string {
  return fields.map((field) => `,${JSON.stringify(field)}:[]`).join('');
}

/** The items of a list, by its index, as they are in the JSON. */
type Items = readonly [index: number, items: Uint8Array];

/**
 * Reads the items of an output. One with items of one list alone is not parsed: 9 MB of them would occupy this gateway
 * for a tenth of a second.
 */
function readerOf(fields: readonly string[]): (body: Uint8Array) => readonly Items[] {
  const around = fields.map((field, index) => ({
    head: Buffer.from(
      `{${fields
        .slice(0, index)
        .map((other) => `${JSON.stringify(other)}:[],`)
        .join('')}${headOf(field)}`,
    ),
    tail: Buffer.from(`]${emptyLists(fields.slice(index + 1))}}`),
  }));
  return (body) => {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    for (const [index, { head, tail }] of around.entries()) {
      const end = bytes.length - tail.length;
      if (end >= head.length && bytes.subarray(0, head.length).equals(head) && bytes.subarray(end).equals(tail))
        return [[index, bytes.subarray(head.length, end)]];
    }
    const output = JSON.parse(bytes.toString()) as Record<string, unknown[]>;
    return fields.map((field, index) => [index, Buffer.from(JSON.stringify(output[field]).slice(1, -1))] as const);
  };
}
