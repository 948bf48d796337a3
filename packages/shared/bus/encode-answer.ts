import { z } from 'zod';
import type { RequestContract } from '../contracts/contract.ts';
import { cutIntoFrames, Frame, listFieldOf } from './frames.ts';
import { bytesOfItem, pieceLimits, piecesOf } from './pieces.ts';
import { encodeBody } from './wire.ts';

/** Fewer items take less than a millisecond, unless they are large by themselves. */
const minItems = 100;

/** As many are checked and encoded in less than a millisecond. */
const charactersPerTurn = 32_000;

/** An output that was checked and encoded: as one message, or as frames (frames.ts). */
export class EncodedAnswer {
  /** As its handler returned it, for callers of an earlier release. */
  readonly output: unknown;
  readonly encoded: Uint8Array | Iterable<Frame>;

  constructor(output: unknown, encoded: Uint8Array | Iterable<Frame>) {
    this.output = output;
    this.encoded = encoded;
  }
}

type Output = Record<string, unknown>;

/**
 * Checks and encodes an output; undefined is one without fields. Between the items of long lists, which would stop the
 * other work of the process for as long, it calls `next` from time to time, and goes on when that resolves. Throws when
 * the output does not conform to the contract.
 */
export async function encodeAnswer<C extends RequestContract>(
  contract: C,
  answered: z.input<C['output']> | undefined,
  next: () => Promise<void> = async () => {},
): Promise<EncodedAnswer> {
  const output = (answered ?? {}) as Output;
  const lists = listsOf(contract, output);
  const count = lists.reduce((sum, [, items]) => sum + items.length, 0);
  if (count < minItems) {
    const body = encodeBody(parseOutput(contract, output));
    if (body.length <= pieceLimits.bytes) return new EncodedAnswer(output, body);
    // Its items are few and large. Only a caller of one list needs them whole, and a cut one may have any size.
    if (count === 0 || listFieldOf(contract) === undefined) return new EncodedAnswer(output, cutIntoFrames(body));
  }
  const bodies = await encodeLists(contract, output, lists, next);
  const [only = '', second] = bodies;
  if (second === undefined && only.length <= pieceLimits.bytes) return new EncodedAnswer(output, Buffer.from(only));
  const frames: Frame[] = [];
  for (const body of bodies) {
    frames.push(new Frame(body));
    await next();
  }
  return new EncodedAnswer(output, frames);
}

/** Checks an output. Throws when it does not conform to the contract. */
export function parseOutput(contract: RequestContract, output: unknown): unknown {
  return parse(contract, contract.output, output);
}

/** The lists of an output, with the schemas of their items. */
type Lists = [field: string, items: unknown[], schema: z.ZodType][];

function listsOf(contract: RequestContract, output: Output): Lists {
  return Object.entries((contract.output as z.ZodObject).shape).flatMap(([field, schema]): Lists => {
    const items = output[field];
    return schema instanceof z.ZodArray && Array.isArray(items) ? [[field, items, schema.element as z.ZodType]] : [];
  });
}

/** Outputs within the limits of a piece, as JSON. Each has a part of one list and all other fields. */
async function encodeLists(
  contract: RequestContract,
  output: Output,
  lists: Lists,
  next: () => Promise<void>,
): Promise<string[]> {
  const noItems = Object.fromEntries(lists.map(([field]) => [field, []]));
  const others = parseOutput(contract, { ...output, ...noItems }) as Output;
  const bodies: string[] = [];
  let sinceTurn = 0;
  for (const [field, items, schema] of lists) {
    const texts: string[] = [];
    for (const item of items) {
      const text = JSON.stringify(parse(contract, schema, item));
      texts.push(text);
      sinceTurn += text.length;
      if (sinceTurn < charactersPerTurn) continue;
      sinceTurn = 0;
      await next();
    }
    for (const piece of piecesOf(texts, pieceLimits, bytesOfItem)) bodies.push(textOf(others, field, piece));
  }
  return bodies;
}

/** An output as JSON. One of its lists has the items `texts`, which are JSON already. */
function textOf(output: Output, list: string, texts: readonly string[]): string {
  const fields = Object.entries(output)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => `${JSON.stringify(name)}:${name === list ? `[${texts.join(',')}]` : JSON.stringify(value)}`,
    );
  return `{${fields.join(',')}}`;
}

function parse(contract: RequestContract, schema: z.ZodType, value: unknown): unknown {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw new Error(`the output of ${contract.name} does not conform to the contract`, { cause: checked.error });
}
