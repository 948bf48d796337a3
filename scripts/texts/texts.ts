import path from 'node:path';
import { parseSync } from 'oxc-parser';

/** The formatter's limit for code. */
const maxColumns = 120;

/** Paths outside the repository, and a page without a file name. With the brackets the line does not match itself. */
const outside = /\.\.\/[s]hared\b|(?<![\w.}])\/(?:[w]ork|[h]ome|[U]sers)\/|[u]nleash-facts/;

/** Line comments and block comments of SQL. */
const sqlComment = /--.*|\/\*[\s\S]*?\*\//g;

/** The violations in a file as `file:line: reason`. `documents` has the names of the Markdown files. */
export function violations(file: string, text: string, documents: ReadonlySet<string>): string[] {
  if (text.includes('\0')) return file.endsWith('.png') ? [] : [`${file}: only texts and images are stored here`];
  const lines = text.split('\n');
  const found = lines.flatMap((line, index) => {
    const missing = [...line.matchAll(/[\w-]+\.md\b/g)].filter(([name]) => !documents.has(name));
    const names = [...missing.map(([name]) => name), ...(outside.exec(line) ?? [])];
    return names.map((name) => `${file}:${index + 1}: "${name}" is not in this repository: state the fact itself`);
  });
  const isTooLong = (index: number) => [...(lines[index] as string)].length > maxColumns;
  const tooLong = [...commentLines(file, text)].filter(isTooLong);
  const reason = `the comment is longer than ${maxColumns} columns: shorten it, else wrap it`;
  return [...found, ...tooLong.map((index) => `${file}:${index + 1}: ${reason}`)];
}

function commentLines(file: string, text: string): Set<number> {
  const indexes = new Set<number>();
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length - 1;
  for (const { start, end } of comments(file, text)) {
    for (let index = lineAt(start); index <= lineAt(end); index++) indexes.add(index);
  }
  return indexes;
}

function comments(file: string, text: string): { start: number; end: number }[] {
  const type = path.extname(file);
  if (['.ts', '.tsx', '.mts', '.js', '.mjs'].includes(type)) return parseSync(file, text).comments;
  if (type !== '.sql') return [];
  return [...text.matchAll(sqlComment)].map(({ index, 0: match }) => ({ start: index, end: index + match.length }));
}
