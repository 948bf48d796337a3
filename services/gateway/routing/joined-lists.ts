/**
 * The text of an object of lists, without its braces, of outputs that each have some of the items: those of the first
 * list before those of the second. A piece ends before the comma that follows it. Memory has one output. Throws for an
 * item of a list that has ended, since the answer has begun.
 */
export async function* joinedLists<Output extends Record<string, unknown[]>>(
  fields: readonly (keyof Output & string)[],
  outputs: AsyncIterable<Output>,
): AsyncGenerator<Uint8Array> {
  let open = 0;
  let isEmpty = true;
  let text = headOf(fields[0]!);
  for await (const output of outputs) {
    for (const [index, field] of fields.entries()) {
      const items = output[field]!;
      if (items.length === 0) continue;
      if (index < open) throw new Error(`items of ${field} came after those of ${fields[open]}`);
      const own = JSON.stringify(items).slice(1, -1);
      if (index === open && isEmpty) text += own;
      else {
        if (index > open) text += `]${emptyLists(fields.slice(open + 1, index))}`;
        yield Buffer.from(text);
        text = index > open ? headOf(field) + own : own;
      }
      open = index;
      isEmpty = false;
    }
  }
  yield Buffer.from(`${text}]${emptyLists(fields.slice(open + 1))}`);
}

const headOf = (field: string) => `${JSON.stringify(field)}:[`;

function emptyLists(fields: readonly string[]): string {
  return fields.map((field) => `,${headOf(field)}]`).join('');
}
