import { expect, test } from 'vitest';
import { StreamOffers } from './stream-offers.ts';

let now = 0;
const hourMs = 3_600_000;

test('an id gets an offer for an hour after its last stream', () => {
  const offers = new StreamOffers(() => now);
  expect([offers.has('a'), offers.has(undefined)]).toEqual([false, false]);
  offers.add('a');
  now = hourMs / 2;
  offers.add('a');
  now = hourMs * 1.5 - 1;
  expect(offers.has('a')).toBe(true);
  now += 1;
  expect(offers.has('a')).toBe(false);
});

test('an id is asked to stream once in a minute, also when it is refused a stream meanwhile', () => {
  const offers = new StreamOffers(() => now);
  offers.add('a');
  offers.use('a');
  offers.use('unknown');
  offers.add('a');
  expect([offers.has('a'), offers.has('unknown')]).toEqual([false, false]);
  now += 60_000;
  expect(offers.has('a')).toBe(true);
});

test('ids are bounded in number and length', () => {
  const offers = new StreamOffers(() => now);
  offers.add(undefined);
  offers.add('x'.repeat(101));
  expect(offers.has('x'.repeat(101))).toBe(false);
  for (let number = 0; number <= 20_000; number += 1) offers.add(`id-${number}`);
  expect([offers.has('id-0'), offers.has('id-1'), offers.has('id-20000')]).toEqual([false, true, true]);
});
