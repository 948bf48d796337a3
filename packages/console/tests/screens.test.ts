import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { screens } from '../testing/screens.ts';

/** These lead to other pages. */
const redirects = ['/admin', '/projects/$projectId/features/$featureName/$part'];

test('the tests of screens look at a page of each route', () => {
  const folder = path.join(import.meta.dirname, '../src/app');
  const sources = readdirSync(folder).filter((name) => /^(router|.*-routes)\.tsx?$/.test(name));
  const routes = sources.flatMap((name) =>
    [...readFileSync(path.join(folder, name), 'utf8').matchAll(/^ {2}path: '(.*)',$/gm)].map(([, route]) => route!),
  );
  expect(routes).toContain('/features');
  const isLookedAt = (route: string) => {
    const pattern = new RegExp(`^${route.replace(/\$\w+/g, '[^/?]+')}(\\?|$)`);
    return screens.some(([, address]) => pattern.test(address));
  };
  const unseen = routes.filter((route) => !isLookedAt(route) && !redirects.includes(route));
  // The playground of the API links to it so, and it leads to the strategy.
  expect(unseen.filter((route) => !route.endsWith('/strategies/edit'))).toEqual([]);
});
