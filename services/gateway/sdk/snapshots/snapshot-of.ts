import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import { type MaybePromise, whenThere } from '@yardarm/shared/waiting';
import { type EnvironmentSnapshot, noSnapshot } from './environment-snapshot.ts';
import type { Snapshots } from './snapshots.ts';

/**
 * The snapshot of the token's environment, without flags if the environment was deleted. Throws `unavailable` while
 * neither flags nor the copy has shown it.
 */
export function snapshotOf(snapshots: Snapshots, token: ResolvedToken): MaybePromise<EnvironmentSnapshot> {
  const { environment } = token;
  if (environment === null) return noSnapshot;
  const problem = snapshots.problem(environment);
  if (problem !== null)
    throw new AppError('unavailable', `The flags are not loaded yet: ${problem}`, { retryAfterSeconds: 1 });
  return whenThere(snapshots.of(environment), (snapshot) => snapshot ?? noSnapshot);
}
