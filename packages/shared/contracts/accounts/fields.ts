import { z } from 'zod';

/** A moment as answers carry it. */
export const timestamp = z.iso.datetime();

/** A moment as requests give it: any offset. */
export const givenTimestamp = z.iso.datetime({ offset: true, error: 'should be a date-time (RFC 3339)' });

/** A name on the wire: shown in the console, so bounded; never blank, and without the blanks around it, which nobody sees. */
export const displayNameSchema = z
  .string()
  .trim()
  .min(1, 'should not be empty')
  .max(255, 'should have at most 255 characters');

/** Text that says what something is for; may be empty. */
export const displayDescriptionSchema = z.string().max(1000, 'should have at most 1000 characters');

/** A password on its way in. The upper bound keeps hashing bounded; whether it is strong enough is decided where it is set. */
export const passwordSchema = z.string().max(1000, 'should have at most 1000 characters');

/** Projects and environments go by URL friendly names. */
export const projectIdSchema = z.string().min(1, 'should not be empty').max(100, 'should have at most 100 characters');
