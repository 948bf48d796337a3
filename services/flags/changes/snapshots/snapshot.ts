export type Revisions = Readonly<Record<string, number>>;

export interface KnownState {
  epoch: string;
  revisions: Revisions;
}

/**
 * Whether a delta leads from the known state to ours. It does not when the known state was never ours: it has another
 * epoch, a project that we do not have, or a revision above ours (a database restored from a backup falls behind its
 * readers). A project that the reader does not know is only behind.
 */
export function isBehind(known: KnownState, ours: KnownState): boolean {
  if (known.epoch !== ours.epoch) return false;
  return Object.entries(known.revisions).every(
    ([project, revision]) => Object.hasOwn(ours.revisions, project) && revision <= ours.revisions[project]!,
  );
}

/**
 * Reads the delta first and then decides whether the known state allows one. It nearly always does, and the revisions
 * that decide must be read with the delta.
 */
export async function readChanges<State extends KnownState>(
  known: KnownState | null,
  read: (since: Revisions | null) => Promise<State>,
): Promise<State & { isWhole: boolean }> {
  if (known !== null) {
    const delta = await read(known.revisions);
    if (isBehind(known, delta)) return { ...delta, isWhole: false };
  }
  return { ...(await read(null)), isWhole: true };
}
