import { expect, test } from 'vitest';
import { movedTo } from './order.ts';

test('a moved environment takes the place, and the others keep their order', () => {
  expect(movedTo(['development', 'test', 'production'], 'production', 0)).toEqual({
    production: 1,
    development: 2,
    test: 3,
  });
  expect(movedTo(['development', 'test', 'production'], 'development', 1)).toEqual({
    test: 1,
    development: 2,
    production: 3,
  });
});
