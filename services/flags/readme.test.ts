import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settings } from './config.ts';

it('names every setting in the README, and no other', () => {
  const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const table = readme.slice(readme.indexOf('## Configuration'), readme.indexOf('## Scaling'));
  const firstCells = [...table.matchAll(/^\| (`.+?) \|/gm)].map(([, cell]) => cell as string);
  const named = firstCells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual(Object.keys(settings).sort());
});
