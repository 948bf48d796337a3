import { propertyRuns } from '@yardarm/testing';
import fc from 'fast-check';
import { marked } from 'marked';
import { expect, test } from 'vitest';
import { problemOfMarkdown } from './markdown.ts';

test.each([
  'plain text, 1 < 2, a <- b, <3 and 2<3, x && y; [brackets] and (parentheses)',
  '**bold**, *emphasis*, `code`, # title\n\n- a list\n\n> a quotation\n\n    code',
  '[a page](https://example.com/a_(b)?c=d#e "title"), [our page](/projects/default)',
  '![image](https://example.com/image.png), [by reference][one]\n\n[one]: https://example.com "title"',
  '[blanks](  https://example.com  ) and [a line\nend](\nhttps://example.com)',
  'https://www.example.com and HTTPS://EXAMPLE.COM, write to ops@example.com',
  '&lt;script&gt; is text, and javascript: too',
])('%j is accepted', (text) => {
  expect(problemOfMarkdown(text)).toBeUndefined();
});

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<IMG SRC=x ONERROR=alert(1)>',
  '<svg/onload=alert(1)>',
  '<a href="https://example.com" onclick="alert(1)">x</a>',
  '</p>',
  '<!-- comment -->',
  '<?php ?>',
  '<![CDATA[x]]>',
  '`<script>` in code',
  '    <iframe src="https://example.com"></iframe>',
  '<javascript:alert(1)>',
  '<https://example.com/onmouseover=alert(1)>',
  '<http://example.com>',
  '<ops@example.com>',
  '[x](<javascript:alert(1)>)',
])('%j is refused for its HTML', (text) => {
  expect(problemOfMarkdown(text)).toContain('no HTML');
});

test.each([
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](java\\script:alert(1))',
  '[x](\u0001javascript:alert(1))',
  '[x](\t javascript:alert(1))',
  '[x](\njavascript:alert(1))',
  '[x](< javascript:alert(1)>)',
  '[x](vbscript:msgbox(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '![x](data:image/svg+xml,x)',
  '![x](http://example.com/pixel.png)',
  '[x](file:///etc/passwd)',
  '[x](//example.com)',
  '[x](/\\example.com)',
  '[x](/&#47;example.com)',
  '[x](\\//example.com)',
  '[x](mailto:ops@example.com)',
  '[x](example.com)',
  '[x]()',
  '[x][y]\n\n[y]: javascript:alert(1)',
  '> [y]:\n> javascript:alert(1)',
  '[y]:\thttp://example.com',
  '[![x](https://example.com)](javascript:alert(1))',
])('%j is refused for its address', (text) => {
  expect(problemOfMarkdown(text)).toContain('address');
});

test.each([
  'see http://example.com',
  'see ftp://example.com',
  'xhttps://example.com',
  'see www.example.com',
  '_WWW.x.y_',
])('%j is refused, because readers make a link of it', (text) => {
  expect(problemOfMarkdown(text)).toContain('https://');
});

const parts = [
  ...[
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '!',
    ':',
    '/',
    '\\',
    '&',
    ';',
    '#',
    '"',
    "'",
    '`',
    ' ',
    '\n',
    '\t',
    '    ',
    '> ',
    '- ',
  ],
  ...[
    'x',
    'a',
    'javascript:alert(1)',
    'https://',
    'http://',
    'www.',
    'example.com',
    'data:',
    '&#106;',
    '&colon;',
    '&lt;',
  ],
  ...[
    '](',
    ']: ',
    '[x](',
    '[x]: ',
    '![x](',
    '<a ',
    '</',
    '<!--',
    'onload=',
    'ops@example.com',
    '\u00a0',
    '\u0001',
    '//',
  ],
];

test('what a reader makes of an accepted text has no other elements and addresses', () => {
  let links = 0;
  const text = fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((words) => words.join(''));
  fc.assert(
    fc.property(text, (markdown) => {
      fc.pre(problemOfMarkdown(markdown) === undefined);
      const html = marked.parse(markdown, { async: false, gfm: true });
      for (const [, address] of html.matchAll(/ (?:href|src)="([^"]*)"/g)) {
        links += 1;
        expect(address).toMatch(/^(https:\/\/|\/(?!\/|\\)|mailto:)/i);
      }
      const elements = [...html.matchAll(/<\/?(\w+)/g)].map(([, name]) => name);
      const known = ['p', 'a', 'img', 'em', 'strong', 'code', 'pre', 'ul', 'ol', 'li', 'blockquote', 'br', 'hr'];
      expect(
        elements.filter(
          (name) => !known.includes(name!) && !/^(h\d|del|input|table|thead|tbody|tr|th|td)$/.test(name!),
        ),
      ).toEqual([]);
      expect(html.replace(/="[^"]*"/g, '=')).not.toMatch(/<[^>]* on\w+=/);
    }),
    { numRuns: propertyRuns(30_000) },
  );
  expect(links).toBeGreaterThan(0);
});
