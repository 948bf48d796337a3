import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settings } from './config.ts';

test('the README names every setting, and no other', () => {
  const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const table = readme.slice(readme.indexOf('## Configuration'), readme.indexOf('## Scaling'));
  const named = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(Object.keys(settings).sort());
});
