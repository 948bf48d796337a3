import { expect, test } from 'vitest';
import { z } from 'zod';
import { payloadError, redactValue } from './issues.ts';

const schema = z.object({
  username: z.string(),
  rootRole: z.number().int(),
  events: z.array(z.enum(['on', 'off'])),
  mode: z.enum(['open'], { error: ({ input }) => (input === 'shut' ? 'should be open' : undefined) }).optional(),
  token: z.string().regex(/^x/, 'should begin with x'),
});

function errorFor(input: unknown) {
  return payloadError(schema.safeParse(input).error?.issues ?? [], input);
}

const good = { username: 'ann', rootRole: 1, events: [], token: 'x' };

test.each([
  [{ ...good, username: 5 }, 'The .username property should be string. You sent 5.'],
  [{ ...good, username: undefined }, 'The .username property is required. You sent undefined.'],
  [{ ...good, events: ['on', 'up'] }, 'The .events[1] property should be one of on, off. You sent "up".'],
  [{ ...good, mode: 'shut' }, 'The .mode property should be open. You sent "shut".'],
  [{ ...good, mode: 'no' }, 'The .mode property should be one of open. You sent "no".'],
  [{ ...good, events: 'all' }, 'The .events property should be array. You sent "all".'],
  [{ ...good, token: 'hunter2' }, 'The .token property should begin with x. You sent ***.'],
  ['text', 'The request payload should be object. You sent "text".'],
])('names the property and the value of %j', (input, words) => {
  expect(errorFor(input).message).toBe(`The request payload you provided doesn't conform to the schema. ${words}`);
});

test('a name is not a secret, not even the name of a token', () => {
  expect(redactValue('', ['tokenName'])).toBe('""');
  expect(redactValue({ tokenName: 'sdk', tokenNames: 'x', token: 'y' }, [])).toBe(
    '{"tokenName":"sdk","tokenNames":"***","token":"***"}',
  );
});

test('the message refers to the details when several properties are wrong', () => {
  const error = errorFor({ ...good, username: 5, rootRole: 'x' });
  expect(error.message).toContain('See `details`');
  expect(error.details?.map(({ path }) => path)).toEqual(['.username', '.rootRole']);
});

test('the message has the first of several problems of one property', () => {
  const { error } = z.object({ limit: z.number().int().max(100) }).safeParse({ limit: 2 ** 53 + 2 });
  expect(payloadError(error!.issues, { limit: 2 ** 53 + 2 }).message).toContain('The .limit property');
});

test('long values are truncated, and secrets inside of values are masked', () => {
  expect(redactValue('y'.repeat(500), ['name']).length).toBeLessThan(110);
  expect(redactValue({ name: 'n', url: 'u', apiKey: 'k' }, ['parameters'])).toBe(
    '{"name":"n","url":"***","apiKey":"***"}',
  );
  expect(redactValue('{"name":"n","url":"u"}', ['parameters'])).toBe('"{\\"name\\":\\"n\\",\\"url\\":\\"***\\"}"');
  expect(redactValue('{not json', ['parameters'])).toBe('"{not json"');
  const selector = 'A'.repeat(22);
  expect(redactValue(`user:yd_${selector}_${'b'.repeat(49)}`, ['expiresAt'])).toBe(`"user:yd_${selector}_***"`);
});
