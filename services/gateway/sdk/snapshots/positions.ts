import { etagsOf } from '../../routing/etags.ts';
import type { EnvironmentSnapshot } from './environment-snapshot.ts';
import type { Scope } from './scope.ts';

/**
 * A position names a state of a scope: the scope, the revision, and the epoch of the database. ETags and the ids of
 * server-sent events are positions. Within an epoch the states of a scope are totally ordered by their revisions, and
 * equal positions on two gateways have equal contents (docs/decisions/0015). An ETag may also name a content coding.
 */
export interface SnapshotPosition {
  scope: Scope;
  revision: number;
  epoch: string;
}

/** The first 32 bits tell a restored database from the one before. */
const epochOf = ({ epoch }: SnapshotPosition) => epoch.slice(0, 8);

export function currentPosition(snapshot: EnvironmentSnapshot, scope: Scope): SnapshotPosition {
  return { scope, revision: snapshot.revisionOf(scope), epoch: snapshot.epoch };
}

export function toPosition(position: SnapshotPosition): string {
  return `${position.scope.hash}:${position.revision}:${epochOf(position)}`;
}

/**
 * How the state that a reader names relates to ours:
 *   same    It has our state.
 *   older   It has our scope and epoch with a lower revision, so that the changes after `revision` lead to ours.
 *   ahead   It has our scope and epoch with a higher revision: another gateway has answered it.
 *   unknown Anything else: no position, one of another scope or epoch, or text that is no position.
 */
export type Relation = KnownRelation | { kind: 'unknown' };

interface KnownRelation {
  kind: 'same' | 'older' | 'ahead';
  revision: number;
  position: string;
}

const unknown: Relation = { kind: 'unknown' };

/** The Last-Event-ID header, compared with our state. */
export function relateEventId(eventId: string | undefined, ours: SnapshotPosition): Relation {
  return eventId === undefined ? unknown : relate(eventId, ours);
}

/**
 * The If-None-Match header, compared with our state: a list of tags, which may be weak and of any content coding, or
 * `*` (RFC 9110, 13.1.2). Of several older states it is the oldest, since the reader may have any of them.
 */
export function relateEtags(ifNoneMatch: string | undefined, ours: SnapshotPosition): Relation {
  if (ifNoneMatch === undefined) return unknown;
  const tags = etagsOf(ifNoneMatch);
  if (tags === '*') return { kind: 'same', revision: ours.revision, position: toPosition(ours) };
  const relations = tags
    .map((tag) => relate(tag.replace(/:(?:gzip|br)$/, ''), ours))
    .filter((relation) => relation.kind !== 'unknown')
    .sort((a, b) => a.revision - b.revision);
  const ofKind = (kind: KnownRelation['kind']) => relations.find((relation) => relation.kind === kind);
  return ofKind('same') ?? ofKind('ahead') ?? ofKind('older') ?? unknown;
}

function relate(text: string, ours: SnapshotPosition): Relation {
  const [scope, digits = '', epoch, ...rest] = text.split(':');
  if (scope !== ours.scope.hash || epoch !== epochOf(ours) || rest.length > 0) return unknown;
  // Fifteen digits are exact in a number. `toPosition` writes no leading zeros, and the text is sent back.
  if (!/^(?:0|[1-9]\d{0,14})$/.test(digits)) return unknown;
  const revision = Number(digits);
  const kind = revision === ours.revision ? 'same' : revision < ours.revision ? 'older' : 'ahead';
  return { kind, revision, position: text };
}
