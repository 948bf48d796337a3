import { expect, test } from 'vitest';
import { correctCodeLinks } from './code-links.ts';

const files: Record<string, string> = { 'services/a/b.ts': 'first();\nsecond();\nthird(second);\n' };
const correct = (markdown: string) => correctCodeLinks('docs/README.md', markdown, (file) => files[file] ?? null);

test('a link gets the number of the line that has its code', () => {
  expect(correct('See [`second()`](../services/a/b.ts#L9) and [`first`](../services/a/b.ts#L1).')).toEqual({
    text: 'See [`second()`](../services/a/b.ts#L2) and [`first`](../services/a/b.ts#L1).',
    problems: [],
  });
});

test.each([
  ['code that is not there', '[`fourth`](../services/a/b.ts#L1)', '0 lines with `fourth`'],
  ['code that several lines have', '[`second`](../services/a/b.ts#L1)', '2 lines with `second`'],
  ['a file that does not exist', '[`first`](../services/a/c.ts#L1)', 'services/a/c.ts has 0 lines'],
])('%s is a problem', (_what, link, problem) => {
  const { text, problems } = correct(link);
  expect(text).toBe(link);
  expect(problems).toEqual([expect.stringContaining(problem)]);
});

test('links without a line are left alone', () => {
  const link = '[`first`](../services/a/b.ts) [the file](../services/a/b.ts#L3)';
  expect(correct(link)).toEqual({ text: link, problems: [] });
});
