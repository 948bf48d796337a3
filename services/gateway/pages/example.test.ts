import { expect, test } from 'vitest';
import { z } from 'zod';
import { exampleOf, type JsonSchema } from './example.ts';

const name = z.string().meta({ examples: ['checkout'] });

const cases: [string, z.ZodType, unknown][] = [
  ["a schema's own example", z.object({ name: z.string() }).meta({ examples: [{ name: 'own' }] }), { name: 'own' }],
  ['an object of parts with examples', z.object({ name, version: z.literal(1) }), { name: 'checkout', version: 1 }],
  ['a list', z.array(z.object({ name })), [{ name: 'checkout' }]],
  [
    'a default, one of several values, a switch',
    z.object({ a: z.string().default('x'), b: z.enum(['p', 'q']), c: z.boolean() }),
    { a: 'x', b: 'p', c: true },
  ],
  [
    'optional parts without an example are left out',
    z.object({ name, more: z.string().optional() }),
    { name: 'checkout' },
  ],
  ['a nullable part', z.object({ name: name.nullable() }), { name: 'checkout' }],
  ['null where nothing else has an example', z.object({ at: z.string().nullable() }), { at: null }],
  ['no example when a required part has none', z.object({ name, more: z.string() }), undefined],
  ['no example of a list whose items have none', z.array(z.string()), undefined],
];

test.each(cases)('%s', (_title, schema, expected) => {
  expect(exampleOf(z.toJSONSchema(schema, { io: 'input' }) as JsonSchema)).toEqual(expected);
});
