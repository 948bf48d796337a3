import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');

test('no two statements of the repository have the same name', () => {
  const sources = globSync(['services/**/*.ts', 'packages/**/*.ts'], { cwd: root, exclude: ['**/node_modules/**'] });
  const names = sources
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(path.join(root, file), 'utf8').matchAll(/\bprepared\(\s*'([^']+)'/g)])
    .map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
