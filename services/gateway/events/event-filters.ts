import { eventDaySchema, eventTypes } from '@yardarm/shared/contracts/events';
import { z } from 'zod';
import { pageQuery } from '../http/wire.ts';

/** As many as the contract takes. */
const maxValues = 1_000;

/** `IS:value` or `IS_ANY_OF:value,value`; `parse` is undefined for what is no value of this filter, `words` say what one is. */
function filter<Value>(words: string, parse: (text: string) => Value | undefined) {
  const refusal = `should be IS:value or IS_ANY_OF:value,value with ${words}`;
  return z
    .string()
    .regex(/^IS(_ANY_OF)?:/, refusal)
    .transform((text, context) => {
      const values = text
        .slice(text.indexOf(':') + 1)
        .split(',')
        .map((value) => parse(value.trim()));
      if (values.length > maxValues) {
        context.addIssue({ code: 'custom', message: `should have at most ${maxValues} values` });
        return z.NEVER;
      }
      const known = values.filter((value) => value !== undefined);
      if (known.length === values.length) return known;
      // One issue for the whole filter: the words then show what was sent.
      context.addIssue({ code: 'custom', message: refusal });
      return z.NEVER;
    })
    .optional();
}

// No text of the log holds U+0000, which Postgres cannot keep.
const text = (value: string) => (value === '' || value.includes('\u0000') ? undefined : value);
const wholeNumber = (pattern: RegExp) => (value: string) => (pattern.test(value) ? Number(value) : undefined);

const names = filter('names without the character U+0000', text);
const userIds = filter('ids of users', wholeNumber(/^-?\d{1,15}$/));
const eventIds = filter('ids of events', wholeNumber(/^[1-9]\d{0,14}$/));
const types = filter('event types', (value) => eventTypes.find((type) => type === value));

/** `IS:` and a day. */
const day = z
  .string()
  .regex(/^IS:\d{4}-\d{2}-\d{2}$/, 'should be IS: and a day, as in IS:2026-01-31')
  .transform((value) => value.slice('IS:'.length))
  .refine((value) => eventDaySchema.safeParse(value).success, 'should be a day of the calendar')
  .optional();

/** When to search: at once unless it is given. */
export const waitFor = z.literal('head', 'should be head').optional().meta({
  description:
    '`head`: waits until the log holds every event of a change that was answered before this request came in; 503 when that takes too long',
});

/** The query of GET /api/admin/search/events, in the public product's notation. */
export const eventFilters = pageQuery.extend({
  query: z.string().max(1000, 'should have at most 1000 characters').optional(),
  id: eventIds,
  type: types,
  project: names,
  feature: names,
  environment: names,
  createdBy: userIds,
  /** Of events of one action, which events here have none of. */
  groupId: names,
  from: day,
  to: day,
  waitFor,
});
