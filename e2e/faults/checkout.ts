import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestDatabase } from '@yardarm/testing';
import { thisCheckout } from './replica.ts';

const run = promisify(execFile);

const workspaces = ['packages', 'services'];

/** The commit that stands for the release before this one. It needs the dependencies that this one has. */
export const releaseBefore = '90720eb9b5ecc640a225bb0769f22ee17e7e70e6';

/** The first commit whose data has to be kept. It needs the dependencies that this one has. */
export const firstRelease = '18d16dbc';

/**
 * Writes the files of a commit of this repository into the folder. Its dependencies are those of this checkout, and its
 * workspaces its own. Throws when the repository lacks the commit, such as a shallow clone.
 */
export async function checkOut(commit: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const archive = path.join(folder, 'archive.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: thisCheckout });
  await run('tar', ['-xf', archive, '-C', folder]);
  linkDependencies(folder, 'node_modules');
  for (const kind of workspaces) {
    for (const name of readdirSync(path.join(folder, kind))) {
      linkDependencies(folder, path.join(kind, name, 'node_modules'));
    }
  }
}

/** Links each dependency of a folder `node_modules`. `@yardarm` is made of the workspaces of the checkout itself. */
function linkDependencies(checkout: string, folder: string): void {
  const [from, to] = [path.join(thisCheckout, folder), path.join(checkout, folder)];
  if (!existsSync(from)) return;
  const names = readdirSync(from);
  mkdirSync(to, { recursive: true });
  for (const name of names) if (name !== '@yardarm') symlinkSync(path.join(from, name), path.join(to, name));
  if (!names.includes('@yardarm')) return;
  mkdirSync(path.join(to, '@yardarm'));
  for (const kind of workspaces) {
    for (const name of readdirSync(path.join(checkout, kind))) {
      symlinkSync(path.join(checkout, kind, name), path.join(to, '@yardarm', name));
    }
  }
}

const migrated = ['flags', 'events', 'integrations', 'signals', 'accounts'] as const;

/** Runs the migrations of a checkout, as an operator does. Throws when they fail. */
export async function migrateBy(checkout: string, database: TestDatabase): Promise<void> {
  const logins = migrated.map((service) => [`${service.toUpperCase()}_DATABASE_URL`, database.urlFor(service)]);
  const env = { DATABASE_URL: database.ownerUrl, ...Object.fromEntries(logins) };
  await run(process.execPath, [path.join(checkout, 'scripts/migrate.ts')], { cwd: checkout, env });
}
