import { expect, test } from 'vitest';
import { Problem } from './problem.ts';
import { errorBeside, fieldError, takenAt } from './property-errors.ts';

const taken = new Problem('conflict', 'There is already a role called "Ops".', { code: 'NameExistsError' });

test('a name that is taken is an error of the name, and not beside it', () => {
  expect(fieldError(taken, 'name')).toBe(taken.message);
  expect(errorBeside(taken, ['name'])).toBeNull();
});

test('a form says at which other property a value is taken', () => {
  const error = takenAt('id', taken);
  expect(fieldError(error, 'id')).toBe(taken.message);
  expect(fieldError(error, 'name')).toBeUndefined();
  expect(errorBeside(error, ['name', 'id'])).toBeNull();
});

test('an error of a property without a field is beside the fields', () => {
  const refused = new Problem('invalid', 'The .color property should be a colour.');
  expect(fieldError(refused, 'color')).toBe('It should be a colour.');
  expect(errorBeside(refused, ['name'])).toBe(refused);
  expect(takenAt('id', refused)).toBe(refused);
});
