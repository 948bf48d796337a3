/** Revisions of an environment by project. */
export type Revisions = Readonly<Record<string, number>>;

export interface KnownState {
  epoch: string;
  revisions: Revisions;
}

/**
 * From which revision on each project's flags are wanted, or null for everything. Everything it is when nothing is known or when
 * what is known was not ours: another epoch, a project we do not have, a revision above ours (a database restored from a backup
 * falls behind its readers). A project that the reader has not heard of is wanted from its beginning.
 */
export function wantedSince(known: KnownState | null, epoch: string, ours: Revisions): Revisions | null {
  if (known === null || known.epoch !== epoch) return null;
  for (const [project, revision] of Object.entries(known.revisions)) {
    if (!Object.hasOwn(ours, project) || revision > ours[project]!) return null;
  }
  return Object.fromEntries(Object.keys(ours).map((project) => [project, known.revisions[project] ?? 0]));
}
