import { expect, it } from 'vitest';
import { payloadProblem } from './variant.ts';

it.each([
  ['string', ''],
  ['number', '-1.5e3'],
  ['json', '{"a":[1]}'],
  ['csv', 'a'],
  ['csv', 'a,b\n1,2\r\n'],
  ['csv', ',,'],
  ['csv', '"a, ""b""\nc",d'],
  ['csv', '5" pipe,6" pipe'],
] as const)('a %s may be %j', (type, value) => {
  expect(payloadProblem({ type, value })).toBeNull();
});

it.each([
  ['number', ' ', 'should be a number'],
  ['number', '1e999', 'should be a number'],
  ['json', '{', 'should be JSON'],
  ['csv', '', 'should be CSV: values between commas, each quote closed'],
  ['csv', '"a,b', 'should be CSV: values between commas, each quote closed'],
  ['csv', 'a,"b" c', 'should be CSV: values between commas, each quote closed'],
] as const)('a %s may not be %j', (type, value, words) => {
  expect(payloadProblem({ type, value })).toBe(words);
});
