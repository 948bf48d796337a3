import { z } from 'zod';

/**
 * A record that refuses the name `__proto__`. zod leaves that name out of a record, so that it would be lost: an action
 * set without its only filter would match every signal.
 */
export function wholeRecord<Value extends z.ZodType>(names: z.ZodString, value: Value) {
  return z.preprocess(
    (sent, { addIssue }) => {
      if (typeof sent === 'object' && sent !== null && Object.hasOwn(sent, '__proto__')) {
        addIssue({ code: 'custom', path: ['__proto__'], message: 'is not allowed' });
      }
      return sent;
    },
    z.record(names, value),
  );
}
