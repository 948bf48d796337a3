import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { peerVersion } from '../../scripts/compare/peer.ts';
import { run } from '../../scripts/servers/run.js';

export interface ServedUi {
  url: string;
  stop(): Promise<void>;
}

/** What a browser may open that the gateway answers. All else that it opens is a page of the UI. */
const gatewayPages = /^\/(api|auth|docs|logout)(\/|$)/;

const mediaTypes: Record<string, string> = {
  ...{
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
    '.png': 'image/png',
    '.gif': 'image/gif',
  },
};

/**
 * Serves the admin UI of unleash-server in front of a gateway, as a reverse proxy does. The package is licensed under
 * the AGPL: it is in a temporary folder while the test runs, and no dependency of this project.
 */
export async function serveUi(gatewayUrl: string): Promise<ServedUi> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-public-ui-'));
  try {
    await unpack(folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  const build = path.join(folder, 'package/frontend/build');
  const page = indexPage(readFileSync(path.join(build, 'index.html'), 'utf8'));
  const server = createServer((request, response) => {
    const { method, url = '/', headers } = request;
    const { pathname } = new URL(url, gatewayUrl);
    const file = path.join(build, pathname);
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) {
      response.setHeader('content-type', mediaTypes[path.extname(file)] ?? 'application/octet-stream');
      response.setHeader('cache-control', 'max-age=3600, immutable');
      createReadStream(file).pipe(response);
      return;
    }
    if (headers['sec-fetch-mode'] === 'navigate' && !gatewayPages.test(pathname)) {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(page);
      return;
    }
    const forwarded = send(gatewayUrl + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    // The browser reports a request without an answer.
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
}

async function unpack(folder: string): Promise<void> {
  const commands: [string, ...string[]][] = [
    ['npm', 'pack', '--silent', `unleash-server@${peerVersion}`],
    ['tar', '-xzf', `unleash-server-${peerVersion}.tgz`, 'package/frontend/build'],
  ];
  for (const [command, ...args] of commands) {
    const { code, output } = await run(command, args, { cwd: folder });
    if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${output}`);
  }
}

/** The page as its own server sends it without a base path. Fonts and styles of other hosts are left out. */
function indexPage(html: string): string {
  return html.replace(/<link[^>]+"https:[^>]+>/g, '').replace(/::\w+::/g, '');
}
