import type { Context, Evaluation } from '@yardarm/evaluation';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { scopeOfToken } from '../client/filters.ts';
import type { EnvironmentSnapshot, SnapshotFlag } from '../snapshots/environment-snapshot.ts';

export interface EvaluatedFlag {
  readonly flag: SnapshotFlag;
  readonly evaluation: Evaluation;
}

/** The flags that a token may read, evaluated for a context, by name. */
export function evaluateFlags(snapshot: EnvironmentSnapshot, token: ResolvedToken, context: Context): EvaluatedFlag[] {
  const compiled = snapshot.compiled();
  const now = Date.now();
  return snapshot
    .flagsOf(scopeOfToken(token, 'separate'))
    .map((flag) => ({ flag, evaluation: compiled.evaluate(flag.name, context, now) }));
}

/** One of these flags; null when there is none with the name. */
export function evaluateFlag(
  snapshot: EnvironmentSnapshot,
  token: ResolvedToken,
  name: string,
  context: Context,
): EvaluatedFlag | null {
  const flag = snapshot.flag(name);
  if (!flag || !scopeOfToken(token, 'separate').includes(flag)) return null;
  return { flag, evaluation: snapshot.compiled().evaluate(name, context, Date.now()) };
}
