import { z } from 'zod';

export const timestamp = z.iso.datetime();

/** A timestamp of a request, with any offset. */
export const givenTimestamp = z.iso.datetime({ offset: true, error: 'should be a date-time (RFC 3339)' });

/** A name that the console shows: bounded and not blank. Surrounding blanks are removed, because they are invisible. */
export const displayNameSchema = z
  .string()
  .trim()
  .min(1, 'should not be empty')
  .max(255, 'should have at most 255 characters');

export const displayDescriptionSchema = z.string().max(1000, 'should have at most 1000 characters');

/** A password in a request. The maximum bounds the cost of hashing. The operation that sets it checks its strength. */
export const passwordSchema = z.string().max(1000, 'should have at most 1000 characters');

export const projectIdSchema = z.string().min(1, 'should not be empty').max(100, 'should have at most 100 characters');
