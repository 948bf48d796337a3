import type { EnvironmentSnapshot } from './environment-snapshot.ts';
import type { Changes } from './history.ts';
import type { Scope } from './scope.ts';
import type { SnapshotFlag } from './stored-flag.ts';

/** A snapshot and what is read of it. The revision is that of the scope now. */
export interface Reading {
  snapshot: EnvironmentSnapshot;
  scope: Scope;
  revision: number;
}

/** The body of `GET /api/client/features`. `etag` is quoted. */
export function encodeListing({ snapshot, scope, revision }: Reading, etag: string): Buffer {
  const { segmentFormat, environment, projects, namePrefix, tags } = scope;
  const isInlined = segmentFormat === 'inlined';
  const flags = snapshot.flagsOf(scope);
  const query = {
    project: projects,
    environment,
    ...(namePrefix !== '' && { namePrefix }),
    ...(tags.length > 0 && { tag: tags.map(splitTag) }),
    inlineSegmentConstraints: isInlined,
  };
  const meta = { revisionId: revision, etag, queryHash: scope.hash };
  return Buffer.concat([
    Buffer.from('{"version":2,"features":['),
    ...separated(flags.map((flag) => snapshot.bytesOf(flag, segmentFormat))),
    ...(isInlined ? [] : [Buffer.from('],"segments":['), ...separated(segmentsOf(snapshot, flags))]),
    Buffer.from(`],"query":${JSON.stringify(query)},"meta":${JSON.stringify(meta)}}`),
  ]);
}

/** The body of a delta for a reader without a state from which changes lead to ours: everything, as one event. */
export function encodeHydration({ snapshot, scope, revision }: Reading): Buffer {
  const flags = snapshot.flagsOf(scope);
  return Buffer.concat([
    Buffer.from(`{"events":[{"type":"hydration","eventId":${revision},"features":[`),
    ...separated(flags.map(({ bytes }) => bytes)),
    Buffer.from('],"segments":['),
    ...separated(segmentsOf(snapshot, flags)),
    Buffer.from(']}]}'),
  ]);
}

/**
 * The body of a delta: an event for each flag and segment that may differ, with its current contents, so that repeating
 * one is correct. The segments of an updated flag are sent before it, since the reader may not have had them. There may
 * be no events.
 */
export function encodeDelta({ snapshot, scope, revision }: Reading, changes: Changes): Buffer {
  const updated: SnapshotFlag[] = [];
  const events: Buffer[] = [];
  const add = (type: string, rest: string) =>
    events.push(Buffer.from(`{"type":"${type}","eventId":${revision},${rest}}`));
  const removed: [name: string, project: string][] = [];
  for (const name of [...changes.flags.keys()].sort()) {
    const flag = snapshot.flag(name);
    if (flag && scope.includes(flag)) updated.push(flag);
    else removed.push([name, changes.flags.get(name)!]);
  }
  const unused: number[] = [];
  const used = new Set(updated.flatMap(({ segments }) => segments));
  for (const id of changes.segments)
    if (!used.has(id)) snapshot.isSegmentUsed(id, scope) ? used.add(id) : unused.push(id);
  for (const segment of bytesOfSegments(snapshot, used)) add('segment-updated', `"segment":${segment}`);
  for (const { bytes } of updated) add('feature-updated', `"feature":${bytes}`);
  for (const [featureName, project] of removed)
    add('feature-removed', `"featureName":${JSON.stringify(featureName)},"project":${JSON.stringify(project)}`);
  for (const id of unused.sort((a, b) => a - b)) add('segment-removed', `"segmentId":${id}`);
  return Buffer.concat([Buffer.from('{"events":['), ...separated(events), Buffer.from(']}')]);
}

const comma = Buffer.from(',');

function separated(parts: readonly Buffer[]): Buffer[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part]));
}

function segmentsOf(snapshot: EnvironmentSnapshot, flags: readonly SnapshotFlag[]): Buffer[] {
  return bytesOfSegments(snapshot, new Set(flags.flatMap(({ segments }) => segments)));
}

/** By id. A segment that flags did not send is missing: SDKs then read its strategies as off. */
function bytesOfSegments(snapshot: EnvironmentSnapshot, ids: ReadonlySet<number>): Buffer[] {
  return [...ids].sort((a, b) => a - b).flatMap((id) => snapshot.segment(id) ?? []);
}

/** A value may contain colons, a type may not. */
function splitTag(tag: string): [type: string, value: string] {
  const colon = tag.indexOf(':');
  return [tag.slice(0, colon), tag.slice(colon + 1)];
}
