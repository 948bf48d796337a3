import path from 'node:path';

/** A link to a line of code: [`code`](../folder/file.ts#L12). */
const codeLink = /\[`([^`]+)`\]\(([^)#\s]+)#L\d+\)/g;

export interface CodeLinks {
  /** The text with the present number of each line. */
  text: string;
  /** What is wrong with a link: its code is in no line of the file, or in several. */
  problems: string[];
}

/**
 * Corrects the line numbers of links to code in a Markdown file. The text of such a link is code that one line of the
 * linked file contains. `read` returns the text of a file of the repository, or null if there is none.
 */
export function correctCodeLinks(file: string, markdown: string, read: (file: string) => string | null): CodeLinks {
  const problems: string[] = [];
  const text = markdown.replace(codeLink, (link, code: string, target: string) => {
    const linked = path.posix.join(path.posix.dirname(file), target);
    const lines = read(linked)?.split('\n') ?? [];
    const found = lines.flatMap((line, index) => (line.includes(code) ? [index + 1] : []));
    if (found.length === 1) return `[\`${code}\`](${target}#L${found[0]})`;
    problems.push(`${file}: ${linked} has ${found.length} lines with \`${code}\`, and a link needs one`);
    return link;
  });
  return { text, problems };
}
