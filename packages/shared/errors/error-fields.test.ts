import { expect, test } from 'vitest';
import { errorFields } from './error-fields.ts';

const secret = 'yd_0aBcDeFgHiJkLmNoPqRsTu_VwXyZ0aBcDeFgHiJkLmNoPqRsTuVwXyZ0aBcDeFgHiJkL123456';

test('an error without details has its message as the one detail', () => {
  const message = 'Could not find it.';
  expect(errorFields('NotFoundError', message)).toEqual({ name: 'NotFoundError', message, details: [{ message }] });
  expect(errorFields('NotFoundError', message, []).details).toEqual([{ message }]);
});

test('the secrets of tokens are in no message', () => {
  const { message, details } = errorFields('BadDataError', `It is ${secret}.`, [
    { message: `You sent ${secret}.`, path: '.name' },
    { message: `And ${secret}.` },
  ]);
  const hidden = 'yd_0aBcDeFgHiJkLmNoPqRsTu_***';
  expect(message).toBe(`It is ${hidden}.`);
  expect(details).toEqual([{ message: `You sent ${hidden}.`, path: '.name' }, { message: `And ${hidden}.` }]);
});
