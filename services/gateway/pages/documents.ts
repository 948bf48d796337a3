import { readFile } from 'node:fs/promises';
import path from 'node:path';
import swaggerUiFolder from 'swagger-ui-dist/absolute-path.js';
import { pageHeaders } from '../routing/page-headers.ts';
import type { Route } from '../routing/route.ts';
import { openApiDocument } from './openapi.ts';
import { referencePage } from './reference-page.ts';
import { type ServedDocument, servedDocument } from './served-document.ts';

const css = { 'content-type': 'text/css; charset=utf-8' };
const javascript = { 'content-type': 'text/javascript; charset=utf-8' };
const json = { 'content-type': 'application/json; charset=utf-8' };

/** Swagger UI's style has its arrows and signs in itself, as `data:` addresses. Such an image runs nothing. */
const referenceHeaders = {
  ...pageHeaders,
  'content-security-policy': `${pageHeaders['content-security-policy']}; img-src data:`,
};

/** The documents of the API, by their paths. The links in them begin with `basePath`. */
export function documents(routes: readonly Route[], basePath: string): Map<string, ServedDocument> {
  const own = (name: string) => () => readFile(new URL(`files/${name}`, import.meta.url), 'utf8');
  const ofReader = (name: string) => () => readFile(path.join(swaggerUiFolder(), name), 'utf8');
  const openApi = async () => JSON.stringify(await openApiDocument(routes, basePath));
  return new Map([
    ['/docs', servedDocument(referenceHeaders, () => referencePage(routes, basePath))],
    ['/docs/openapi.json', servedDocument(json, openApi)],
    ['/docs/page.css', servedDocument(css, own('page.css'))],
    ['/docs/reference.css', servedDocument(css, own('reference.css'))],
    ['/docs/reference.js', servedDocument(javascript, own('reference.js'))],
    ['/docs/swagger-ui.css', servedDocument(css, ofReader('swagger-ui.css'))],
    ['/docs/swagger-ui-bundle.js', servedDocument(javascript, ofReader('swagger-ui-bundle.js'))],
  ]);
}

/** Their paths, which are the same for all routes. */
export const documentPaths: readonly string[] = [...documents([], '').keys()];
