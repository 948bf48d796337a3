import path from 'node:path';
import { parseSync } from 'oxc-parser';

/** As wide as the formatter lets code be. */
const maxColumns = 120;

/** Paths out of the repository, and pages without a file name. The brackets keep the line from matching itself. */
const outside = /\.\.\/[s]hared\b|(?<![\w.}])\/(?:[w]ork|[h]ome|[U]sers)\/|[u]nleash-facts/;

/** Line comments and block comments of SQL. */
const sqlComment = /--.*|\/\*[\s\S]*?\*\//g;

/** Violations of the rules for texts in one file, as `file:line: reason`. `documents` names the Markdown files. */
export function violations(file: string, text: string, documents: ReadonlySet<string>): string[] {
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

/** The indexes of the lines that hold a comment or a part of one. */
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
  if (['.ts', '.mts', '.js', '.mjs'].includes(type)) return parseSync(file, text).comments;
  if (type !== '.sql') return [];
  return [...text.matchAll(sqlComment)].map(({ index, 0: match }) => ({ start: index, end: index + match.length }));
}
