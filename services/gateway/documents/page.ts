import type { Route } from '../routing/route.ts';

/** The style of the page, which its security headers allow only as a file. */
export const documentPageStyle = `\
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
td { border-top: 1px solid #ccc; padding: .3rem .8rem .3rem 0; vertical-align: top }
code { white-space: nowrap }
`;

/** An HTML page of the routes by tag, each with its audience and permission. */
export function documentPage(routes: readonly Route[], basePath = ''): string {
  const tags = [...new Set(routes.map(({ tag }) => tag))].sort();
  const sections = tags.map((tag) => {
    const rows = routes.filter((route) => route.tag === tag).map(rowOf);
    return `<h2>${escapeHtml(tag)}</h2>\n<table>\n${rows.join('\n')}\n</table>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Yardarm: the API</title>
<link rel="stylesheet" href="${basePath}/docs/page.css">
<h1>Yardarm: the API</h1>
<p>Bodies, answers and errors, with examples: <a href="${basePath}/docs/openapi.json">openapi.json</a>.</p>
${sections.join('\n')}
</html>
`;
}

function rowOf({ method, path, summary, audience, permission, isDeprecated }: Route): string {
  const needed = permission === undefined ? '' : `: ${[permission].flat().join(' or ')}`;
  const call = `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`;
  const text = isDeprecated ? `${summary} (deprecated)` : summary;
  return `<tr><td><code>${escapeHtml(call)}</code><td>${escapeHtml(text)}<td>${escapeHtml(audience + needed)}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
