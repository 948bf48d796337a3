/**
 * The first part of every path that is of the API, in every gateway and on the port of metrics. All other paths may be
 * pages of the console. console.int.test.ts compares the list with the routes.
 */
export const apiParts: readonly string[] = [
  ...['api', 'auth', 'edge', 'ofrep', 'logout', 'new-user', 'reset-password', 'choose-password.js'],
  ...['choose-password.css', 'docs', 'health', 'livez', 'ready', 'metrics', 'internal-backstage'],
];

const isOfApi = new Set(apiParts);

export function firstPart(path: string): string {
  return path.split('/', 2)[1] ?? '';
}

/** Whether the console decides what it shows at the path. The files of the console are none of its pages. */
export function isPage(path: string): boolean {
  const part = firstPart(path);
  return part !== 'assets' && !isOfApi.has(part);
}
