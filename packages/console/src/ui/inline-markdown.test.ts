import { expect, test } from 'vitest';
import { isSafeAddress, piecesOf } from './inline-markdown.ts';

test('bold words and links are found', () => {
  expect(piecesOf('**Note:** see [the page](https://example.com/a) or [flags](/features).')).toEqual([
    { kind: 'bold', text: 'Note:' },
    { kind: 'text', text: ' see ' },
    { kind: 'link', text: 'the page', to: 'https://example.com/a' },
    { kind: 'text', text: ' or ' },
    { kind: 'link', text: 'flags', to: '/features' },
    { kind: 'text', text: '.' },
  ]);
});

test.each([
  ['[x](javascript:alert(1))'],
  ['[x](//evil.example)'],
  ['[x](/\\evil.example)'],
  ['[x](http://evil.example)'],
  ['<b>x</b>'],
  ['[x](data:text/html,x)'],
])('%s stays text', (source) => {
  expect(piecesOf(source)).toEqual([{ kind: 'text', text: source }]);
});

test('an address of another scheme is not safe', () => {
  expect(isSafeAddress('https://example.com')).toBe(true);
  expect(isSafeAddress('/features')).toBe(true);
  expect(isSafeAddress('//evil.example')).toBe(false);
  expect(isSafeAddress('/\\evil.example')).toBe(false);
  expect(isSafeAddress('/\t/evil.example')).toBe(false);
  expect(isSafeAddress('javascript:alert(1)')).toBe(false);
});
