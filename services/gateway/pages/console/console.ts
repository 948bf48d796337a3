import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '@yardarm/shared/config';
import { etagsOf } from '../../routing/etags.ts';
import { pageHeaders } from '../../routing/page-headers.ts';
import type { BytesReply } from '../../routing/route.ts';
import { isPage } from './api-parts.ts';
import { type Asset, readAssets, replyWith } from './assets.ts';

type Header = (name: 'accept' | 'accept-encoding' | 'if-none-match') => string | undefined;

/** What a GET of a path outside the API is answered with; undefined if there is nothing. */
export type ServedConsole = (path: string, header: Header) => BytesReply | undefined;

/**
 * Nothing inline and nothing of other hosts. A script may not turn a text into markup either (Trusted Types): the page
 * acts with the session of its user.
 */
const contentSecurityPolicy = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "font-src 'self'"],
  ...["connect-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ');

/** A cache may keep the page, but asks each time: a page of yesterday names files that are gone. */
const indexHeaders = {
  ...{ ...pageHeaders, 'content-security-policy': contentSecurityPolicy },
  ...{ 'cache-control': 'no-cache', vary: 'Accept' },
};

/**
 * Reads the console that vite has built into the folder. Memory has it from then on, so no request reads a file and no
 * path leads out of the folder. Throws ConfigError if the folder has no console.
 */
export function readConsole(folder: string, basePath: string): ServedConsole {
  try {
    const index = readFileSync(path.join(folder, 'index.html'), 'utf8');
    return consoleOf(Buffer.from(placeAt(basePath, index)), readAssets(path.join(folder, 'assets')));
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError(`CONSOLE_DIR: should be a folder with index.html and assets of the console: ${message}`);
  }
}

function consoleOf(page: Buffer, assets: ReadonlyMap<string, Asset>): ServedConsole {
  const headers = { ...indexHeaders, etag: `"${hash('sha256', page, 'base64url')}"` };
  return (requested, header) => {
    const asset = assets.get(requested);
    if (asset) return replyWith(asset, header('accept-encoding'));
    const isAsked = requested === '/' || (isPage(requested) && header('accept')?.includes('text/html'));
    if (!isAsked) return undefined;
    const known = etagsOf(header('if-none-match') ?? '');
    const isKnown = known === '*' || known.some((tag) => `"${tag}"` === headers.etag);
    return isKnown ? { status: 304, headers } : { status: 200, headers, body: page };
  };
}

/** The build knows no base path: its links begin with `./`, and each page of the console has another folder. */
function placeAt(basePath: string, index: string): string {
  return index
    .replaceAll('"./assets/', `"${basePath}/assets/`)
    .replace('<meta name="yardarm-base-path" content=""', `<meta name="yardarm-base-path" content="${basePath}"`);
}
