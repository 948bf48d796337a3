import type { ChangedFeature, ChangedSegment, ClientFeature } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { type StoredFlag, toStoredFlag } from './stored-flag.ts';

/** An answer of flags.snapshot.fetch, or a part of one. Every part has the epoch, the revisions and `isWhole`. */
export interface SnapshotChange {
  epoch: string;
  revisions: Record<string, number>;
  isWhole: boolean;
  changed: readonly Omit<ChangedFeature, 'revision'>[];
  removed: readonly { name: string; project: string }[];
  changedSegments: readonly Omit<ChangedSegment, 'revision'>[];
  removedSegments: readonly { id: number; project: string }[];
}

/**
 * The parts of an answer. The flags of a part are encoded when it is added, so that an environment is in memory once:
 * parsed, it takes several times as much. A delta keeps the parsed flags too, for the compiled ones.
 */
export class JoinedChange {
  readonly epoch: string;
  readonly revisions: Record<string, number>;
  readonly isWhole: boolean;
  readonly changed: { flag: StoredFlag; feature: ClientFeature | null }[] = [];
  readonly removed: SnapshotChange['removed'][number][] = [];
  readonly changedSegments: SnapshotChange['changedSegments'][number][] = [];
  readonly removedSegments: SnapshotChange['removedSegments'][number][] = [];

  constructor(first: SnapshotChange) {
    this.epoch = first.epoch;
    this.revisions = first.revisions;
    this.isWhole = first.isWhole;
    this.add(first);
  }

  add(part: SnapshotChange): void {
    for (const changed of part.changed)
      this.changed.push({ flag: toStoredFlag(changed), feature: this.isWhole ? null : changed.feature });
    // No spread: a part of an earlier flags may have more items than a call can have arguments.
    for (const removed of part.removed) this.removed.push(removed);
    for (const segment of part.changedSegments) this.changedSegments.push(segment);
    for (const segment of part.removedSegments) this.removedSegments.push(segment);
  }
}

/** Rejects when the answer ends early, or has no part. */
export async function joinParts(parts: AsyncIterable<SnapshotChange>): Promise<JoinedChange> {
  let joined: JoinedChange | null = null;
  for await (const part of parts) {
    if (joined === null) joined = new JoinedChange(part);
    else joined.add(part);
  }
  if (joined === null) throw new AppError('internal', 'The answer of flags has no part.');
  return joined;
}
