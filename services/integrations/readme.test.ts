import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settings } from './config.ts';

const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');

it('names every setting in the README, and no other', () => {
  const table = readme.slice(readme.indexOf('## Configuration'), readme.indexOf('## Scaling'));
  const firstCells = [...table.matchAll(/^\| (`.+?) \|/gm)].map(([, cell]) => cell as string);
  const named = firstCells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual(Object.keys(settings).sort());
});

it('names in the README only metrics that there are', () => {
  const source = readFileSync(new URL('metrics.ts', import.meta.url), 'utf8');
  const named = [...readme.matchAll(/`(integrations_\w+)/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(3);
  for (const name of named) expect(source).toContain(`'${name}'`);
});
