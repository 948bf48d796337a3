import type { MigrationSet } from '@yardarm/shared/db';
import { breakingChanges } from './breaking-changes.ts';
import type { Schema } from './options.ts';

/** A state of the main branch that installations run, and the last migration of each schema in it. */
export interface Released {
  commit: string;
  last: Record<Schema, string>;
}

/** The state before the next release. The commit of a release replaces it by its own. */
export const released: Released = {
  commit: '4c703866',
  last: {
    accounts: '0006-restores',
    flags: '0014-instances-index',
    events: '0008-no-relay',
    integrations: '0006-restores',
    signals: '0009-restores',
  },
};

/**
 * Why services of the released state cannot run on the schema with these migrations, in sentences. `sourceOf` returns
 * the text of a migration. What breaks them has to wait for a release that needs it no longer, and to name in `needs`
 * the last migration of that release, so that older services end instead of failing.
 */
export function upgradeProblems(
  { service, migrations }: MigrationSet,
  { commit, last }: Released,
  sourceOf: (name: string) => string,
): string[] {
  const end = last[service as Schema];
  if (!Object.hasOwn(migrations, end)) return [`${service} lacks the released migration ${end}.`];
  const names = Object.keys(migrations).sort();
  return names.flatMap((name) => {
    const needs = migrations[name]?.needs;
    if (name <= end) return [];
    const changes = breakingChanges(sourceOf(name));
    if (needs === undefined)
      return changes.map(
        (what) =>
          `${service} ${name} ${what}: ${commit} cannot run with it. Add first, remove a release later, with needs.`,
      );
    if (needs > end || !Object.hasOwn(migrations, needs))
      return [
        `${service} ${name} needs ${needs}, which ${commit} does not have: the release before could not run with it.`,
      ];
    return [];
  });
}
