import { daySchema } from '@yardarm/shared/contracts';
import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';

/** A whole number in a path or a query, where every value is text. */
export function wholeNumber(minimum: number, maximum: number) {
  const message = `should be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, message);
}

export const pageQuery = z.object({
  limit: wholeNumber(1, 1000).default(50),
  offset: wholeNumber(0, 1_000_000_000).default(0),
});

/** A day in the public product's notation of filters. */
export const dayQuery = z
  .string()
  .regex(/^IS:\d{4}-\d{2}-\d{2}$/, 'should be IS: and a day, as in IS:2026-01-31')
  .transform((value) => value.slice('IS:'.length))
  .refine((value) => daySchema.safeParse(value).success, 'should be a day of the calendar')
  .optional();

/** The id in a path. One that is not written as a number or exceeds Postgres's integer cannot exist: 404. */
export function idOf(text: string, noun: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(id <= 2_147_483_647))
    throw new AppError('not-found', `Could not find the ${noun} with ID "${text.slice(0, 100)}".`);
  return id;
}
