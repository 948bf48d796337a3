// Proves which line of a file the next connection uses.
import { expect, test } from 'vitest';
import { LoginChoice } from './login-choice.ts';

test('a refused login is followed by the next line, and the last line by the first', () => {
  const choice = new LoginChoice(() => ['new', 'old']);
  expect([choice.current(), choice.current(), choice.count]).toEqual(['new', 'new', 2]);
  choice.refuse('new');
  expect(choice.current()).toBe('old');
  choice.refuse('old');
  expect(choice.current()).toBe('new');
});

test('a login that several connections report counts once', () => {
  const choice = new LoginChoice(() => ['new', 'old']);
  choice.current();
  choice.refuse('new');
  choice.refuse('new');
  expect(choice.current()).toBe('old');
});

test('other lines begin at the first', () => {
  let lines = ['second', 'first'];
  const choice = new LoginChoice(() => lines);
  choice.current();
  choice.refuse('second');
  expect(choice.current()).toBe('first');
  lines = ['third', 'first'];
  expect(choice.current()).toBe('third');
});
