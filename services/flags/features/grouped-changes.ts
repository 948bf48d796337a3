import type { VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { isTransient } from '@yardarm/shared/errors';
import { deadlinePassed, GroupCommit, type GroupResult, type LockedRows } from '../changes/group-commit.ts';
import { actorOf, type Emit, recordChange, recordChangeAtOnce } from '../changes/record-change.ts';
import type { FlagsTables } from '../db/schema.ts';
import { switchTogether } from '../places/environments/switch-environment.ts';
import type { FlagsResources } from '../resources.ts';
import { createTogether } from './create-feature.ts';
import { deferFindFeatures } from './feature-views.repo.ts';
import { limitLockWaits, NameLocked } from './features.repo.ts';
import {
  type Decision,
  type GroupedRequest,
  type Groups,
  type GroupTerms,
  nameOf,
  remainingMs,
} from './grouped-request.ts';
import { patchTogether } from './patch-feature.ts';

type Resources = Pick<FlagsResources, 'bus' | 'changes' | 'db' | 'limits'>;

/** Does requests of one kind for different flags. It waits for no flag's row unless the terms say `wait`. */
type GroupedUseCase<Request> = (
  trx: Transaction<FlagsTables>,
  emit: Emit,
  requests: readonly Request[],
  terms: GroupTerms,
) => Promise<Decision<unknown>[]>;

const useCases: { [Kind in GroupedRequest['kind']]: GroupedUseCase<Extract<GroupedRequest, { kind: Kind }>> } = {
  creation: createTogether,
  patch: patchTogether,
  switch: switchTogether,
};

/**
 * Creations, patches and switches of different flags share transactions. All of them raise the same few revisions. One
 * alone would hold those rows until its own commit is on the disk, and the others would wait. A group has one kind, so
 * that the errors of one kind cost the others nothing.
 */
export function groupChanges(resources: Resources): Groups {
  return new GroupCommit<GroupedRequest, VersionedFeature>({
    keyOf: nameOf,
    kindOf: ({ kind }) => kind,
    deadlineOf: ({ context }) => context.deadline,
    commit: (requests, lockedRows) => commitGroup(resources, requests, lockedRows),
    // Nothing is retried while the database does not answer, or when the outcome of the commit is unknown.
    isCausedByItem: (error) => !isTransient(error),
  });
}

async function commitGroup(
  resources: Resources,
  requests: readonly GroupedRequest[],
  lockedRows: LockedRows,
): Promise<GroupResult<VersionedFeature>[]> {
  const answersAfterCommit = new Map<string, () => VersionedFeature>();
  const useCase = async (trx: Transaction<FlagsTables>, emit: Emit) => {
    // The caller does not wait longer, and other requests wait for the connection.
    if (lockedRows === 'wait') limitLockWaits(trx, Math.min(...requests.map(remainingMs)));
    const { limits } = resources;
    // All are of the kind of the first one.
    const decisions = await useCases[requests[0]!.kind](trx, emit, requests as never, { limits, lockedRows }).catch(
      (error: unknown) => {
        throw requests.every((request) => remainingMs(request) <= 0) ? deadlinePassed() : error;
      },
    );
    const decided = requests.filter((_, index) => decisions[index]!.status === 'decided');
    deferFindFeatures(
      trx,
      decided.map((request) => ({ featureName: nameOf(request), userId: actorOf(request.context).id })),
      answersAfterCommit,
    );
    return decisions;
  };
  const change =
    lockedRows === 'skip'
      ? recordChangeAtOnce(resources, useCase)
      : recordChange(resources, { deadline: Math.min(...requests.map(({ context }) => context.deadline)) }, useCase);
  const decisions = await change.catch((error: unknown): Decision<unknown>[] => {
    if (error instanceof NameLocked) return requests.map(() => ({ status: 'locked' }));
    throw error;
  });
  return decisions.map((decision, index) =>
    decision.status === 'decided' ? resultOf(answersAfterCommit.get(nameOf(requests[index]!))!) : decision,
  );
}

function resultOf(answer: () => VersionedFeature): GroupResult<VersionedFeature> {
  try {
    return { status: 'updated', answer: answer() };
  } catch (error) {
    return { status: 'unreadable', error };
  }
}
