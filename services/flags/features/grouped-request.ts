import type { ServedContext } from '@yardarm/shared/bus';
import type { createFeature, patchFeature, switchEnvironment, VersionedFeature } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { deadlinePassed, type GroupCommit, type GroupResult, type LockedRows } from '../changes/group-commit.ts';
import type { Limits } from '../places/limits/limits.ts';

interface Request<Kind, Contract extends { input: z.ZodType }> {
  kind: Kind;
  input: z.output<Contract['input']>;
  context: ServedContext;
}

export type Creation = Request<'creation', typeof createFeature>;
export type Patch = Request<'patch', typeof patchFeature>;
export type Switch = Request<'switch', typeof switchEnvironment>;

/** A request for one flag. It shares a transaction with others of its kind. */
export type GroupedRequest = Creation | Patch | Switch;

export type Groups = GroupCommit<GroupedRequest, VersionedFeature>;

/** How the requests of a group are done. */
export interface GroupTerms {
  limits: Limits;
  /** With `wait` there is one request. */
  lockedRows: LockedRows;
}

/** What becomes of a request, before anything is written. */
export type Decision<Change> =
  | { status: 'decided'; change: Change }
  | Exclude<GroupResult<never>, { status: 'updated' | 'unreadable' }>;

/**
 * Decides each request in its order, unless it has to wait alone for what another transaction has locked. Refuses those
 * for which `decide` throws, and those whose deadline has passed while the group waited.
 */
export async function decideEach<Request extends GroupedRequest, Change>(
  requests: readonly Request[],
  isLocked: (request: Request) => boolean,
  decide: (request: Request) => Change | Promise<Change>,
): Promise<Decision<Change>[]> {
  const decisions: Decision<Change>[] = [];
  for (const request of requests) {
    try {
      if (isLocked(request)) decisions.push({ status: 'locked' });
      else if (remainingMs(request) <= 0) decisions.push({ status: 'refused', error: deadlinePassed() });
      else decisions.push({ status: 'decided', change: await decide(request) });
    } catch (error) {
      decisions.push({ status: 'refused', error });
    }
  }
  return decisions;
}

export function changesOf<Change>(decisions: readonly Decision<Change>[]): Change[] {
  return decisions.flatMap((decision) => (decision.status === 'decided' ? [decision.change] : []));
}

export function remainingMs({ context }: GroupedRequest): number {
  return context.deadline - Date.now();
}

export function nameOf(request: GroupedRequest): string {
  return request.kind === 'creation' ? request.input.name : request.input.featureName;
}
