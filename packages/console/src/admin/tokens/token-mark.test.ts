import { expect, test } from 'vitest';
import { markOf } from './token-mark.ts';

const selector = 'NuRYnVcXB6JFnPBKFlOybn';

test('a token is known by its beginning, whether or not the reader may read all of it', () => {
  expect(markOf({ secret: `default:eu.west.yd_${selector}`, secure: true })).toBe(
    'begins with default:eu.west.yd_NuRY…',
  );
  const mark = 'begins with *:production.yd_NuRY…';
  expect(markOf({ secret: `*:production.yd_${selector}_HV5EYpuJpbAMI2Q5jg7K`, secure: false })).toBe(mark);
  expect(markOf({ secret: `*:production.yd_${selector}`, secure: true })).toBe(mark);
});

test('a token from elsewhere is known by its beginning, or by its id if only that is known', () => {
  expect(markOf({ secret: 'default:development.964a287e1b728cb5f4f3e012', secure: false })).toBe(
    'begins with default:development.964a…',
  );
  expect(markOf({ secret: 'header.payload.signature', secure: false })).toBe('begins with head…');
  expect(markOf({ secret: `*:*.x${selector}`, secure: true })).toBe('has the id xNuRY…');
});
