import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** All that a build of the console is made of: the sources, what they import, the packages, and how it is built. */
const sources = [
  'package-lock.json',
  'tsconfig.json',
  'packages/console/**',
  'packages/evaluation/**',
  'packages/shared/package.json',
  'packages/shared/contracts/**',
  'scripts/console/**',
];

/** A hash of the names and contents of these files in the folder of the project. */
export function hashOfSources(project: string): string {
  const files = globSync(sources, {
    cwd: project,
    withFileTypes: true,
    exclude: ({ name }) => name === 'node_modules' || name === 'dist' || /\.test\.tsx?$/.test(name),
  })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .sort();
  const ofFiles = files.map((file) => [path.relative(project, file), hash('sha256', readFileSync(file), 'hex')]);
  return hash('sha256', JSON.stringify(ofFiles), 'hex').slice(0, 32);
}
