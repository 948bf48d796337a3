import type { PartHealth } from '@yardarm/shared/service';
import { version } from '@yardarm/shared/telemetry';
import type { Route } from '../routing/route.ts';
import { escapeHtml } from './escape-html.ts';

const services = {
  gateway: 'answers every request, and SDKs from memory',
  flags: 'flags, projects, environments and what SDKs report',
  accounts: 'users, roles, tokens and banners',
  events: 'the log of all changes',
  integrations: 'webhooks and messages',
  signals: 'signals of other systems, and what they switch',
};

interface Installation {
  /** Under which people and SDKs reach it. */
  publicUrl: string;
  basePath: string;
  /** The state of each part of this gateway, as /ready says it. */
  parts: Readonly<Record<string, PartHealth>>;
}

/** The page of /: what runs here, where an admin UI is, and how to begin. */
export function homePage(routes: readonly Route[], { publicUrl, basePath, parts }: Installation): string {
  const has = (path: string) => routes.some((route) => route.path === path);
  const url = escapeHtml(publicUrl);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Yardarm</title>
<link rel="stylesheet" href="${basePath}/docs/page.css">
</head>
<body class="home">
<h1>Yardarm</h1>
<p>Feature flags for Unleash's SDKs, scripts and tools. This is a gateway of version ${escapeHtml(version)}.
<a href="${basePath}/docs">The API</a> has every operation, with examples.</p>
${stateOf(parts)}
<h2>What runs here</h2>
<table>
${Object.entries(services)
  .map(([name, does]) => `<tr><td><b>${name}</b><td>${does}`)
  .join('\n')}
</table>
${has('/api/admin/ui-config') ? adminUi() : ''}
<h2>How to begin</h2>
${has('/api/admin/projects/:projectId/features') ? firstFlag(url) : ''}
${has('/api/client/features') ? firstRead(url) : ''}
${has('/api/signal-endpoint/:name') ? firstSignal(url) : ''}
</body>
</html>
`;
}

function stateOf(parts: Installation['parts']): string {
  const problems = Object.entries(parts).flatMap(([part, problem]) => {
    if (problem === null) return [];
    return `${part}: ${typeof problem === 'string' ? problem : problem.degraded}`;
  });
  if (problems.length === 0) return '<p>It is ready.</p>';
  return problems.map((problem) => `<p class="problem">${escapeHtml(problem)}</p>`).join('\n');
}

function adminUi(): string {
  return `<h2>Where an admin UI is</h2>
<p>Yardarm has none of its own yet. That of unleash-server 8.2 works: a web server shows its files and passes
<code>/api</code>, <code>/auth</code> and <code>/logout</code> on to this gateway.</p>`;
}

function firstFlag(url: string): string {
  return `<p>An admin token makes a flag and switches it on:</p>
<pre>export ADMIN='*:*.…' URL=${url}
curl -X POST $URL/api/admin/projects/default/features \\
  -H "Authorization: $ADMIN" -H 'content-type: application/json' -d '{"name":"new-checkout"}'
curl -X POST $URL/api/admin/projects/default/features/new-checkout/environments/development/on \\
  -H "Authorization: $ADMIN"</pre>`;
}

function firstRead(url: string): string {
  return `<p>A token of the environment reads it, with curl or with an SDK (<code>npm install unleash-client</code>):</p>
<pre>curl -H 'Authorization: *:development.…' ${url}/api/client/features</pre>
<pre>import { startUnleash } from 'unleash-client';

const customHeaders = { Authorization: '*:development.…' };
const unleash = await startUnleash({ url: '${url}/api/', appName: 'shop', customHeaders });
console.log(unleash.isEnabled('new-checkout')); // true</pre>`;
}

function firstSignal(url: string): string {
  return `<p>A token of a signal endpoint sends a signal:</p>
<pre>curl -X POST ${url}/api/signal-endpoint/alerts -H 'Authorization: Bearer …' -H 'content-type: application/json' -d '{}'</pre>`;
}
