import type { FlagOfList } from '../flags/flag-row.tsx';

type Stage = FlagOfList['lifecycle']['stage'];

/** The stages that a flag of the board can be in, and what to do with it there. */
export const stages = [
  ['completed', 'Completed', 'The decision is made. Take it out of the code and archive it.'],
  ['live', 'Live', 'Used in production. Decide, and mark it as completed.'],
  ['pre-live', 'Before production', 'Used, but not in production. Release it or give it up.'],
  ['initial', 'Never used', 'No SDK has asked for it. Archive it if it is not needed.'],
] as const satisfies [Stage, string, string][];

/** When an SDK has last asked for the flag in any environment; null if none has. */
export function lastSeenOf({ environments }: Pick<FlagOfList, 'environments'>): string | null {
  const times = environments.map(({ lastSeenAt }) => lastSeenAt).filter((at) => at !== null);
  return times.toSorted().at(-1) ?? null;
}

/** The flags of a stage: never seen first, then by when they were last seen. */
export function ofStage<Flag extends Pick<FlagOfList, 'lifecycle' | 'environments'>>(
  flags: Flag[],
  stage: Stage,
): Flag[] {
  return flags
    .filter(({ lifecycle }) => lifecycle.stage === stage)
    .toSorted((one, other) => (lastSeenOf(one) ?? '').localeCompare(lastSeenOf(other) ?? ''));
}
