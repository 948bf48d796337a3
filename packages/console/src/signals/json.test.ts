import { expect, test } from 'vitest';
import { shownJson } from '../ui/direction.ts';
import { parseExactly } from './json.ts';

test.each([
  '{"n":12345678901234567890,"m":1.5,"list":[-9007199254740993,1]}',
  '{"text":"12345678901234567890","none":null,"yes":true}',
  '"<img src=x>"',
])('%s is shown as it was sent', (text) => {
  expect(shownJson(parseExactly(text))).toBe(text);
});

test('a mark that turns the direction of a text is seen', () => {
  expect(shownJson({ file: 'gpj.\u202eexe' })).toBe('{"file":"gpj.\\u202eexe"}');
});
