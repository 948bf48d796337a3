/** Revisions of an environment by project. */
export type Revisions = Readonly<Record<string, number>>;

export interface KnownState {
  epoch: string;
  revisions: Revisions;
}

/**
 * Whether what changed leads from the known state to ours. It does not when what is known was not ours: another epoch, a project we
 * do not have, a revision above ours (a database restored from a backup falls behind its readers). A project that is not known is
 * only behind.
 */
export function isBehind(known: KnownState, ours: KnownState): boolean {
  if (known.epoch !== ours.epoch) return false;
  return Object.entries(known.revisions).every(
    ([project, revision]) => Object.hasOwn(ours.revisions, project) && revision <= ours.revisions[project]!,
  );
}
