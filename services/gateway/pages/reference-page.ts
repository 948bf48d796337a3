import type { Route } from '../routing/route.ts';
import { escapeHtml } from './escape-html.ts';

/** The page of /docs. It has the list of contents, and its script shows the OpenAPI document beside it. */
export function referencePage(routes: readonly Route[], basePath: string): string {
  const tags = Map.groupBy(routes, ({ tag }) => tag);
  const groups = [...tags].map(([tag, ofTag]) => {
    const items = ofTag.map((route) => itemOf(tag, route)).join('\n');
    return `<details data-tag="${escapeHtml(tag)}">
<summary>${escapeHtml(tag)}</summary>
<ul>
${items}
</ul>
</details>`;
  });
  const docs = `${basePath}/docs`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Yardarm: the API</title>
<link rel="stylesheet" href="${docs}/swagger-ui.css">
<link rel="stylesheet" href="${docs}/page.css">
<link rel="stylesheet" href="${docs}/reference.css">
<script src="${docs}/swagger-ui-bundle.js" defer></script>
<script src="${docs}/reference.js" type="module"></script>
</head>
<body class="reference">
<details id="contents" open>
<summary>Contents</summary>
<a href="${basePath}/">Yardarm</a> · <a href="${docs}/openapi.json">openapi.json</a>
<input type="search" placeholder="Search paths and texts" aria-label="Search paths and texts">
${groups.join('\n')}
</details>
<main id="reference" data-document="${docs}/openapi.json"><p>One moment …</p></main>
</body>
</html>
`;
}

/** The address is the one that Swagger UI gives to an operation. */
function itemOf(tag: string, { method, path, operationId, summary, isDeprecated }: Route): string {
  const hash = `#/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`;
  const call = `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`;
  const text = isDeprecated ? `${summary} (deprecated)` : summary;
  return `<li><a href="${hash}">${escapeHtml(text)}<code>${escapeHtml(call)}</code></a></li>`;
}
