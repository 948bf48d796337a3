import { expect, test } from 'vitest';
import { Invitations } from './invitations.ts';

let now = 0;
const hourMs = 3_600_000;

test('an id is invited for an hour after its last stream', () => {
  const invitations = new Invitations(() => now);
  expect([invitations.has('a'), invitations.has(undefined)]).toEqual([false, false]);
  invitations.add('a');
  now = hourMs / 2;
  invitations.add('a');
  now = hourMs * 1.5 - 1;
  expect(invitations.has('a')).toBe(true);
  now += 1;
  expect(invitations.has('a')).toBe(false);
});

test('an id is asked to stream once in a minute, also when it is refused a stream meanwhile', () => {
  const invitations = new Invitations(() => now);
  invitations.add('a');
  invitations.use('a');
  invitations.use('unknown');
  invitations.add('a');
  expect([invitations.has('a'), invitations.has('unknown')]).toEqual([false, false]);
  now += 60_000;
  expect(invitations.has('a')).toBe(true);
});

test('ids are bounded in number and length', () => {
  const invitations = new Invitations(() => now);
  invitations.add(undefined);
  invitations.add('x'.repeat(101));
  expect(invitations.has('x'.repeat(101))).toBe(false);
  for (let number = 0; number <= 20_000; number += 1) invitations.add(`id-${number}`);
  expect([invitations.has('id-0'), invitations.has('id-1'), invitations.has('id-20000')]).toEqual([false, true, true]);
});
