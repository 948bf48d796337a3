import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';

/** A whole number in a path or a query, where everything is text; `what` names it in the refusal. */
export function wholeNumber(minimum: number, maximum: number) {
  const words = `should be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, words)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, words);
}

/** `limit` and `offset` of a page, which clients send as strings. */
export const pageQuery = z.object({
  limit: wholeNumber(1, 1000).default(50),
  offset: wholeNumber(0, 1_000_000_000).default(0),
});

/** The id of a path; one that is no number, or beyond Postgres's integer, names nothing that exists. */
export function idOf(text: string, noun: string): number {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(id >= 1 && id <= 2_147_483_647))
    throw new AppError('not-found', `Could not find the ${noun} with ID "${text.slice(0, 100)}".`);
  return id;
}

/** Puts the pieces of an answer of many back into one list. */
export async function allOf<Piece, Item>(
  pieces: AsyncIterable<Piece>,
  items: (piece: Piece) => readonly Item[],
): Promise<Item[]> {
  const all: Item[] = [];
  for await (const piece of pieces) all.push(...items(piece));
  return all;
}
