// The image has what its commands import: .dockerignore lists what is copied.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readTree } from './import-rules/imports.ts';
import { overlays, podOf, readRendered, workloadsOf } from './kubernetes/objects.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const rules = read('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ isCopied: line.startsWith('!'), pattern: line.replace(/^!/, '') }));

/** The last rule that matches the file or a folder above it decides. */
function isCopied(file: string): boolean {
  const parts = file.split('/');
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  return rules.findLast(({ pattern }) => paths.some((each) => path.matchesGlob(each, pattern)))?.isCopied ?? true;
}

/** What the stage `sources` removes of what was copied. */
const removed = /AS sources\n(?:.*\n)*?RUN rm -r (.*)/.exec(read('Dockerfile'))![1]!.split(' ');
const isRemoved = (file: string) => removed.some((each) => file === each || file.startsWith(`${each}/`));

const tree = readTree(root);
const targetsOf = Map.groupBy(
  tree.imports.filter(({ typeOnly, isDynamic, target }) => !typeOnly && !isDynamic && target !== undefined),
  ({ file }) => file,
);

/** The command `yardarm` loads the file of a command when it runs. */
const commandsOfYardarm = tree.imports
  .filter(({ file, isDynamic }) => file === 'scripts/yardarm/commands.ts' && isDynamic)
  .map(({ target }) => target!);

function importedBy(entry: string): string[] {
  const found = new Set([entry]);
  for (const file of found) for (const { target } of targetsOf.get(file) ?? []) found.add(target!);
  return [...found];
}

const documents = [
  'Dockerfile',
  'docker-compose.yml',
  'README.md',
  'docs/backup.md',
  'docs/upgrade.md',
  'deploy/nats.conf',
];
const commands = documents.flatMap((file) => {
  const lines = read(file)
    .split('\n')
    .filter((line) => /docker|command:/.test(line));
  return lines.flatMap((line) => [...line.matchAll(/\b(?:scripts|services)\/[\w/-]+\.ts/g)].map(([name]) => name));
});
const podCommands = overlays
  .flatMap((overlay) => workloadsOf(readRendered(overlay)).flatMap((workload) => podOf(workload).containers))
  .flatMap(({ args = [] }) => args.filter((word) => word.endsWith('.ts')));

test('the commands of yardarm are found', () => {
  expect(commandsOfYardarm.length).toBeGreaterThan(5);
  expect(commandsOfYardarm).toContain('scripts/yardarm/status.ts');
});

test.each([...new Set([...commands, ...podCommands, ...commandsOfYardarm])].sort())(
  'the image has all that %s imports',
  (entry) => {
    const imported = importedBy(entry);
    expect(imported.length).toBeGreaterThan(10);
    expect(imported.filter((file) => !isCopied(file) || isRemoved(file))).toEqual([]);
  },
);

test('the stage that builds the console has its sources and what they import', () => {
  const shared = ['packages/shared/contracts/index.ts', 'packages/evaluation/index.ts', 'tsconfig.json'];
  const needed = [...importedBy('scripts/console/main.ts'), ...shared, 'packages/console/src/main.tsx'];
  expect(needed).toContain('scripts/console/build.ts');
  expect(needed.filter((file) => !isCopied(file))).toEqual([]);
});

test('the image has the built console, and not its sources', () => {
  expect(removed).toContain('packages/console');
  expect(read('Dockerfile')).toContain('CONSOLE_DIR=/app/console');
  expect(read('docker-compose.yml')).toMatch(/CONSOLE_DIR: \$\{CONSOLE_DIR-\/app\/console\}/);
});
