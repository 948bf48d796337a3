import { redactValue } from '@yardarm/shared/errors';
import { z } from 'zod';
import { dayQuery, pageQuery } from '../../routing/wire.ts';

/** The limit of the contract. */
const maxValues = 1_000;

/** `IS:value` or `IS_ANY_OF:value,value`. `parse` gives undefined for an invalid value; `expected` names valid ones. */
function filter<Value>(expected: string, parse: (text: string) => Value | undefined) {
  const message = `should be IS:value or IS_ANY_OF:value,value with ${expected}`;
  return z
    .string()
    .regex(/^IS(_ANY_OF)?:/, message)
    .transform((text, context) => {
      const values = text
        .slice(text.indexOf(':') + 1)
        .split(',')
        .map((value) => value.trim());
      if (values.length > maxValues) {
        context.addIssue({ code: 'custom', message: `should have at most ${maxValues} values` });
        return z.NEVER;
      }
      const parsed = values.map(parse);
      const valid = parsed.filter((value) => value !== undefined);
      if (valid.length === values.length) return valid;
      // The error quotes the beginning of the filter, which may lack the invalid value.
      const invalid = redactValue(values[parsed.indexOf(undefined)], []);
      context.addIssue({ code: 'custom', message: `${message}, and ${invalid} is none` });
      return z.NEVER;
    })
    .optional();
}

// Postgres cannot store U+0000, so no text of the log contains it.
const text = (value: string) => (value === '' || value.includes('\u0000') ? undefined : value);
const wholeNumber = (pattern: RegExp) => (value: string) => (pattern.test(value) ? Number(value) : undefined);

const names = filter('names without the character U+0000', text);
const userIds = filter('ids of users', wholeNumber(/^-?\d{1,15}$/));
const eventIds = filter('ids of events', wholeNumber(/^[1-9]\d{0,14}$/));
// Newer consoles also ask for types that Yardarm has no events of. They match nothing.
const types = filter('event types', text);

export const waitFor = z.literal('head', 'should be head').optional().meta({
  description:
    '`head`: waits until the log holds every event of a change that was answered before this request came in; 503 when that takes too long',
});

const [minLimit, maxLimit] = [1, 1_000];

/** As in the public product, a limit beyond the bounds is the default. */
const limit = z
  .string()
  .regex(/^-?\d+$/, 'should be a whole number')
  .transform((text) => (Number(text) >= minLimit && Number(text) <= maxLimit ? Number(text) : undefined))
  .meta({ description: `From ${minLimit} to ${maxLimit}; any other number is the default`, default: '50' })
  .optional();

/** The query of GET /api/admin/search/events, in the public product's notation. */
export const eventFilters = pageQuery.extend({
  limit,
  query: z.string().max(1000, 'should have at most 1000 characters').optional(),
  id: eventIds,
  type: types,
  project: names,
  feature: names,
  environment: names,
  createdBy: userIds,
  /** Events here have no group, so this filter matches nothing. */
  groupId: names,
  from: dayQuery,
  to: dayQuery,
  waitFor,
});
