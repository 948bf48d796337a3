import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import type { RequestContract } from '../contracts/contract.ts';
import { type PieceLimits, pieceLimits, splitIntoPieces } from './pieces.ts';

// A piece of an output that is one list, such as `{"features":[...]}`, is a head, its items and a tail. The text around
// the items is always the same, because the output has no other field and JSON.stringify adds no blanks. So a caller
// that only passes the items on need not parse them.

/**
 * The body of a message with a piece, which conforms to its contract. It is deflated, because the items of a list are
 * much alike. This costs the service, NATS and the caller less than larger messages.
 */
export class EncodedPiece {
  readonly deflated: Uint8Array;

  constructor(text: string) {
    this.deflated = deflateRawSync(text, { level: 1 });
  }
}

/** Most pieces fit one chunk of this size, and need no other memory. 100 bytes are for the text around the items. */
const chunkSize = pieceLimits.bytes + 100;

export function inflatePiece(deflated: Uint8Array): Uint8Array {
  return inflateRawSync(deflated, { chunkSize });
}

/** The field of an output that is one list and nothing else; undefined for any other output. */
export function listFieldOf({ output }: RequestContract): string | undefined {
  const [[field, schema] = [], ...others] = Object.entries((output as z.ZodObject).shape);
  return schema instanceof z.ZodArray && others.length === 0 ? field : undefined;
}

type ItemOf<C extends RequestContract> = z.output<C['output']> extends Record<string, (infer Item)[]> ? Item : never;

/**
 * Encodes items as pieces within the limits, in order. The items have exactly the properties of the contract, in its
 * order. Throws when the output is no list, or when the first item does not conform. The others are not checked: they
 * come from the same mapping, and the check of all would take a fifth of the time of a long list.
 */
export function encodePieces<C extends RequestContract>(
  contract: C,
  items: readonly ItemOf<C>[],
  limits: PieceLimits = pieceLimits,
): EncodedPiece[] {
  const texts = items.map((item) => JSON.stringify(item));
  return encode(contract, texts, items[0], limits);
}

/**
 * As `encodePieces`, of items that are JSON already. For items with JSON that another system wrote: parsed and written
 * again, its large numbers would lose digits.
 */
export function encodeTexts(
  contract: RequestContract,
  texts: readonly string[],
  limits: PieceLimits = pieceLimits,
): EncodedPiece[] {
  return encode(contract, texts, texts[0] === undefined ? undefined : JSON.parse(texts[0]), limits);
}

function encode(
  contract: RequestContract,
  texts: readonly string[],
  first: unknown,
  limits: PieceLimits,
): EncodedPiece[] {
  const { head, tail, schema } = listOf(contract);
  const checked = texts.length === 0 ? undefined : schema.element.safeParse(first);
  if (checked?.success === false) {
    throw new Error(`an item of ${contract.name} does not conform to the contract`, { cause: checked.error });
  }
  // 1 for the comma between items.
  const pieces = splitIntoPieces(texts, limits, (text) => Buffer.byteLength(text) + 1);
  return pieces.map((piece) => new EncodedPiece(`${head}${piece.join(',')}${tail}`));
}

/** The items of a piece's body as they are there, separated by commas; undefined when it is no such piece. */
export function itemsOf(contract: RequestContract, body: Uint8Array): Uint8Array | undefined {
  const { head, tail } = listOf(contract);
  const isPiece = startsWith(body, head) && startsWith(body.subarray(-tail.length), tail);
  return isPiece ? body.subarray(head.length, -tail.length) : undefined;
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
