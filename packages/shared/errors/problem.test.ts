import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeIssues } from './issues.ts';

const text = z.string().min(2).max(3);

test.each<[string, z.ZodType, unknown, string]>([
  ['a short text', text, 'q', 'should have at least 2 characters'],
  ['a long text', text, 'long', 'should have at most 3 characters'],
  ['an empty text', z.string().min(1), '', 'should have at least 1 character'],
  ['a text of another length', z.string().length(2), 'q', 'should have exactly 2 characters'],
  ['a short list', z.array(text).min(2), [], 'should have at least 2 items'],
  ['a long list', z.array(text).max(1), ['ab', 'cd'], 'should have at most 1 item'],
  ['a small number', z.number().min(3), 2, 'should be at least 3'],
  ['a large number', z.number().lt(3), 3, 'should be less than 3'],
  ['a fraction', z.number().int(), 1.5, 'should be integer'],
  ['a number between the steps', z.number().multipleOf(5), 7, 'should be a multiple of 5'],
  ['another text than a UUID', z.uuid(), 'q', 'should be a UUID'],
  ['another text than a time', z.iso.datetime(), 'q', 'should be a date-time (RFC 3339)'],
  ['a text of another form', z.string().regex(/^q+$/), 'x', 'should match /^q+$/'],
  ['a text of a rare format', z.ipv4(), 'x', 'should be of the format ipv4'],
  ['a wrong name', z.record(text, z.number()), { q: 1 }, 'has a name that should have at least 2 characters'],
  ['no value of several types', z.union([text, z.number()]), true, 'should be string or be number'],
  ['a wrong value of one of several types', z.union([text, z.number()]), 'q', 'should have at least 2 characters'],
  ['another kind', z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]), {}, 'should be one of a'],
  ['a refused value without words', z.string().refine(() => false), 'q', 'is not valid'],
])('names the rule that %s breaks, without words of the library', (_title, schema, value, words) => {
  const { error } = z.object({ it: schema }).safeParse({ it: value });
  expect(describeIssues(error!.issues, { it: value })[0]?.message).toContain(` property ${words}. You sent `);
});

test('names the part that is wrong in the option that a value nearly is', () => {
  const schema = z.object({ it: z.union([z.string(), z.array(text)]) });
  const input = { it: ['ab', 'q'] };
  expect(describeIssues(schema.safeParse(input).error!.issues, input)).toEqual([
    { path: '.it[1]', message: 'The .it[1] property should have at least 2 characters. You sent "q".' },
  ]);
});
