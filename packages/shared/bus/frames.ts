import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import type { RequestContract } from '../contracts/contract.ts';
import { bytesOfItem, type PieceLimits, pieceLimits, piecesOf } from './pieces.ts';

/**
 * The protocol of a long answer. An answer of at most `pieceLimits.bytes` is one message. A longer one, and every
 * answer of a handler that yields, travels in frames. There are two kinds:
 *
 *   bytes     the next bytes of the encoded output
 *   outputs   an output by itself. The lists of all frames are joined, and each has its other fields. An output that
 *             is one list is cut in this way for a caller that passes the items on.
 *
 * The service sends the frames to the inbox of the request, numbered from 1, each with a reply subject. The caller
 * sends the number of handled frames there. The service is at most `frameWindow` frames ahead, which bounds the buffers
 * of both sides and of NATS. The last message has the number of frames and no frame. The service ends the answer on
 * `stop`, and when nothing was handled for as long as the request had until its deadline.
 */
export const frameWindow = 4;
export const stopMessage = 'stop';

/** What the caller of a request can use: every kind of frame, or only frames from which it can take the items. */
export type Accepted = 'frames' | 'items';

/**
 * The body of a frame. It is deflated, because the items of a list are much alike. This costs the service, NATS and the
 * caller less than larger messages.
 */
export class Frame {
  readonly deflated: Uint8Array;
  readonly isCut: boolean;
  /** The length of the body before it was deflated. */
  readonly bytes: number;

  /** An output that conforms to its contract, or with `isCut` some bytes of one. */
  constructor(body: string | Uint8Array, isCut = false) {
    this.deflated = deflateRawSync(body, { level: 1 });
    this.isCut = isCut;
    this.bytes = Buffer.byteLength(body);
  }
}

/** Most frames fit one chunk of this size, and need no other memory. 100 bytes are for the text around the items. */
const chunkSize = pieceLimits.bytes + 100;

export function inflateFrame(deflated: Uint8Array): Uint8Array {
  return inflateRawSync(deflated, { chunkSize });
}

/** Cuts an encoded output into frames. Each is deflated when it is asked for. */
export function* cutIntoFrames(body: Uint8Array): Generator<Frame> {
  for (let at = 0; at < body.length; at += pieceLimits.bytes) {
    yield new Frame(body.subarray(at, at + pieceLimits.bytes), true);
  }
}

/** The field of an output that is one list and nothing else; undefined for any other output. */
export function listFieldOf({ output }: RequestContract): string | undefined {
  const [[field, schema] = [], ...others] = Object.entries((output as z.ZodObject).shape);
  return schema instanceof z.ZodArray && others.length === 0 ? field : undefined;
}

type ItemOf<C extends RequestContract> = z.output<C['output']> extends Record<string, (infer Item)[]> ? Item : never;

/**
 * Encodes items of an output that is one list as frames within the limits, in order. Each frame is made when it is
 * asked for, so that other work can run between two of them. The items have exactly the properties of the contract, in
 * its order. Throws when the output is no list, or when the first item does not conform. The others are not checked:
 * they come from the same mapping, and the check of all would take a fifth of the time of a long list.
 */
export function encodeItems<C extends RequestContract>(
  contract: C,
  items: readonly ItemOf<C>[],
  limits: PieceLimits = pieceLimits,
): Generator<Frame> {
  return encode(contract, textsOf(items), items[0], limits);
}

/** The JSON of each item, made when it is asked for. */
export function* textsOf(items: Iterable<unknown>): Generator<string> {
  for (const item of items) yield JSON.stringify(item);
}

/**
 * As `encodeItems`, of items that are JSON already. For items with JSON that another system wrote: parsed and written
 * again, its large numbers would lose digits. `checked` is an item that is checked in place of the first, which may be
 * so large that its check would stop the process.
 */
export function encodeTexts(
  contract: RequestContract,
  texts: readonly string[],
  checked: unknown = texts[0] === undefined ? undefined : JSON.parse(texts[0]),
): Generator<Frame> {
  return encode(contract, texts, checked, pieceLimits);
}

/** Encodes an output with several lists as one frame. Throws when it does not conform. */
export function encodeOutput<C extends RequestContract>(contract: C, output: z.output<C['output']>): Frame {
  const checked = contract.output.safeParse(output);
  if (checked.success) return new Frame(JSON.stringify(checked.data));
  throw new Error(`the output of ${contract.name} does not conform to the contract`, { cause: checked.error });
}

/**
 * As `encodeTexts`, of an output with one list and `others`, which every frame repeats; one frame without items. The
 * frames are made, and the texts read, when they are asked for.
 */
export function* encodeParts(
  contract: RequestContract,
  texts: Iterable<string>,
  others: Readonly<Record<string, unknown>>,
): Generator<Frame> {
  const { shape } = contract.output as z.ZodObject;
  const field = Object.keys(shape).find((name) => shape[name] instanceof z.ZodArray);
  if (field === undefined) throw new Error(`the output of ${contract.name} has no list`);
  const check = (first: readonly string[]) => {
    const checked = contract.output.safeParse({ [field]: first.map((text) => JSON.parse(text)), ...others });
    if (checked.success) return;
    throw new Error(`the output of ${contract.name} does not conform to the contract`, { cause: checked.error });
  };
  const tail = Object.entries(others).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const frameOf = (piece: readonly string[]) =>
    new Frame(`{${JSON.stringify(field)}:[${piece.join(',')}]${tail.join('')}}`);
  let isFirst = true;
  for (const piece of piecesOf(texts, pieceLimits, bytesOfItem)) {
    if (isFirst) check(piece.slice(0, 1));
    isFirst = false;
    yield frameOf(piece);
  }
  if (!isFirst) return;
  check([]);
  yield frameOf([]);
}

function* encode(
  contract: RequestContract,
  texts: Iterable<string>,
  first: unknown,
  limits: PieceLimits,
): Generator<Frame> {
  const { head, tail, schema } = listOf(contract);
  const checked = first === undefined ? undefined : schema.element.safeParse(first);
  if (checked?.success === false) {
    throw new Error(`an item of ${contract.name} does not conform to the contract`, { cause: checked.error });
  }
  for (const piece of piecesOf(texts, limits, bytesOfItem)) yield new Frame(`${head}${piece.join(',')}${tail}`);
}

/**
 * The items in an output that is one list, as they are there, separated by commas; undefined when it is no such output.
 * The text around them is always the same, because the output has no other field and JSON.stringify adds no blanks.
 */
export function itemsOf(contract: RequestContract, body: Uint8Array): Uint8Array | undefined {
  const { head, tail } = listOf(contract);
  const isList = startsWith(body, head) && startsWith(body.subarray(-tail.length), tail);
  return isList ? body.subarray(head.length, -tail.length) : undefined;
}

function listOf(contract: RequestContract): { head: string; tail: string; schema: z.ZodArray<z.ZodType> } {
  const field = listFieldOf(contract);
  if (field === undefined) throw new Error(`the output of ${contract.name} is not one list`);
  const schema = (contract.output as z.ZodObject).shape[field] as z.ZodArray<z.ZodType>;
  return { head: `{${JSON.stringify(field)}:[`, tail: ']}', schema };
}

/** The text is ASCII. */
function startsWith(body: Uint8Array, text: string): boolean {
  return (
    body.length >= text.length && Buffer.from(body.buffer, body.byteOffset, text.length).toString('latin1') === text
  );
}

/** Joins the outputs of frames: every list, and the other fields of the first. Without a frame all lists are empty. */
export function joinOutputs(contract: RequestContract, outputs: readonly Record<string, unknown>[]): object {
  const { shape } = contract.output as z.ZodObject;
  const fields = Object.keys(shape).filter((field) =>
    outputs[0] ? Array.isArray(outputs[0][field]) : shape[field] instanceof z.ZodArray,
  );
  const lists = fields.map((field) => [field, outputs.flatMap((output) => output[field])]);
  return { ...outputs[0], ...Object.fromEntries(lists) };
}
