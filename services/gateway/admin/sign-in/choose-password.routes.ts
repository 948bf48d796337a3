import { readFileSync } from 'node:fs';
import { pageHeaders } from '../../routing/page-headers.ts';
import { type Route, route } from '../../routing/route.ts';

// The address contains a token, so no cache may store the page under it.
const page = { ...pageHeaders, 'cache-control': 'no-store' };

/** The page for choosing a password, with its script and style. It calls the API like any other client. */
export function choosePasswordRoutes(): Route[] {
  return [
    file('/new-user', 'newUserPage', 'The page on which an invited user chooses a password', 'html', page),
    file('/reset-password', 'resetPasswordPage', 'The page on which a user chooses a new password', 'html', page),
    file('/choose-password.js', 'choosePasswordScript', 'The script of these pages', 'js', {
      'content-type': 'text/javascript; charset=utf-8',
    }),
    file('/choose-password.css', 'choosePasswordStyle', 'The style of these pages', 'css', {
      'content-type': 'text/css; charset=utf-8',
    }),
  ];
}

function file(
  path: string,
  operationId: string,
  summary: string,
  extension: 'html' | 'js' | 'css',
  headers: Record<string, string> & { 'content-type': string },
): Route {
  const body = readFileSync(new URL(`choose-password.${extension}`, import.meta.url));
  return route({
    method: 'get',
    path,
    operationId,
    summary,
    tag: 'Auth',
    audience: 'public',
    answer: { status: 200, mediaType: headers['content-type'].split(';')[0] as string },
    errors: [],
    handle: async () => ({ status: 200, body, headers }),
  });
}
