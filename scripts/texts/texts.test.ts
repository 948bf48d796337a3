import { expect, test } from 'vitest';
import { violations } from './texts.ts';

const documents = new Set(['README.md']);
const linesOf = (file: string, text: string) =>
  violations(file, text, documents).map((violation) => Number(violation.split(':')[1]));

// Composed, so that this file has no violation.
const missing = ['interface', 'md'].join('.');

test.each([
  ['a document that does not exist', `See ${missing}.`],
  ['the same with its folder', `See docs/${missing}, section 3`],
  ['a page of facts without a file name', `(${'unleash'}-facts 3.4)`],
  ['a folder beside the repository', `See ..${'/shared'}/design`],
  ['an absolute path', `cd ${'/work'}/main`],
  ['an absolute path in backquotes', `\`${'/home'}/me/notes\``],
])('%s is a violation, in every type of file', (_what, line) => {
  for (const file of ['README.md', 'a.ts', 'a.txt', 'Dockerfile']) {
    const text = file === 'a.ts' ? `// first\n// ${line}\n` : `first\n${line}\n`;
    expect(linesOf(file, text)).toEqual([2]);
  }
});

test('a path in the repository is no violation', () => {
  const lines = ['docs/README.md', "import '../../packages/shared/db/index.ts'", `/api/admin${'/work'}/`, 'homework/x'];
  expect(violations('README.md', lines.join('\n'), documents)).toEqual([]);
});

const wide = 'x'.repeat(118);

test.each([
  ['a.ts', `const a = 1; // ${wide}`, [1]],
  ['a.ts', `/**\n * ok\n * ${wide}\n */`, [3]],
  ['a.js', `// ok\n// ${wide}`, [2]],
  ['a.ts', `// ${wide.slice(1)}`, []],
  ['a.ts', `const url = 'https://${wide}';`, []],
  ['a.sql', `select 1; -- ok\n-- ${wide}\nselect '${wide}xx';`, [2]],
  ['README.md', `// ${wide}xx`, []],
])('in %s, of %j the lines %j are too long', (file, text, expected) => {
  expect(linesOf(file, text)).toEqual(expected);
});

test('a binary file is a violation, and an image is none', () => {
  expect(violations('tool.deb', '!<arch>\n\0', documents)).toEqual([expect.stringContaining('tool.deb') as string]);
  expect(violations('docs/images/flags.png', '\x89PNG\0', documents)).toEqual([]);
});
