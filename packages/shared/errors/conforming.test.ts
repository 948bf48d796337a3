import { expect, test } from 'vitest';
import { z } from 'zod';
import type { AppError } from './app-error.ts';
import { conforming } from './conforming.ts';

let read = 0;
const name = z.unknown().transform((value) => {
  read += 1;
  return value;
});
const schema = z.object({ flags: z.array(z.object({ name, enabled: z.boolean().default(false) })) });

function refusalOf(value: unknown): AppError {
  try {
    conforming(schema, value);
  } catch (error) {
    return error as AppError;
  }
  throw new Error('the value was accepted');
}

test('a value is what the schema makes of it', () => {
  expect(conforming(schema, { flags: [{ name: 'a', more: 1 }] })).toEqual({ flags: [{ name: 'a', enabled: false }] });
});

test('all problems of a small value are named', () => {
  const { code, details } = refusalOf({ flags: [{ name: 'a', enabled: 1 }, 2] });
  expect(code).toBe('validation');
  expect(details?.map(({ path }) => path)).toEqual(['.flags[0].enabled', '.flags[1]']);
});

test('a large value is read up to its first problem', () => {
  read = 0;
  const flags = Array.from({ length: 100_000 }, (_, index) => ({ name: 'a', enabled: index === 5 ? 'no' : true }));
  const { message, details } = refusalOf({ flags });
  expect(message).toContain('The .flags[5].enabled property should be boolean. You sent "no".');
  expect(details).toHaveLength(1);
  expect(read).toBe(6);
});
