import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
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

/** The paths of `documents`. */
export const documentPaths: readonly string[] = [
  ...['/docs', '/docs/openapi.json', '/docs/page.css', '/docs/reference.css', '/docs/reference.js'],
  ...['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js'],
];

/** The documents of the API, by their paths. The links in them begin with `basePath`. */
export function documents(routes: readonly Route[], basePath: string): Map<string, ServedDocument> {
  const own = (name: string) => readFile(new URL(`pages/${name}`, import.meta.url), 'utf8');
  const ofReader = (name: string) => readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), 'utf8');
  const openApi = async () => JSON.stringify(await openApiDocument(routes, basePath));
  const made: ServedDocument[] = [
    servedDocument(referenceHeaders, () => referencePage(routes, basePath)),
    servedDocument(json, openApi),
    servedDocument(css, () => own('page.css')),
    servedDocument(css, () => own('reference.css')),
    servedDocument(javascript, () => own('reference.js')),
    servedDocument(css, () => ofReader('swagger-ui.css')),
    servedDocument(javascript, () => ofReader('swagger-ui-bundle.js')),
  ];
  return new Map(documentPaths.map((path, index) => [path, made[index] as ServedDocument]));
}
