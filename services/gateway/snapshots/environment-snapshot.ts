import { createHash } from 'node:crypto';
import type { ChangedFeature, ChangedSegment, ClientFeature, Constraint } from '@yardarm/shared/contracts/flags';

/** One answer of flags.snapshot.fetch, with its pieces joined. */
export interface SnapshotChange {
  epoch: string;
  revisions: Record<string, number>;
  isWhole: boolean;
  changed: readonly ChangedFeature[];
  removed: readonly { name: string; project: string }[];
  changedSegments: readonly ChangedSegment[];
  removedSegments: readonly { id: number; project: string }[];
}

interface Flag {
  project: string;
  bytes: Buffer;
  /** The flag as flags sent it, if it has segments and is encoded again when one of them changes. */
  segmented: ClientFeature | null;
}

interface Segment {
  constraints: readonly Constraint[];
  /** The projects that use it. */
  projects: Set<string>;
}

export interface ListingQuery {
  /** `['*']` is every project. */
  projects: readonly string[];
  namePrefix?: string | undefined;
}

interface Listing {
  query: ListingQuery;
  queryHash: string;
  revision: number;
  /** Quoted. */
  etag: string;
  /** Null until it is first read. */
  body: Buffer | null;
}

/** A constraint that no context satisfies, in place of a segment that flags did not send: the strategy stays off. */
const never: readonly Constraint[] = [
  { contextName: 'appName', operator: 'IN', values: [], caseInsensitive: false, inverted: false },
];

/** Per environment. An installation uses few listings, and each may have hundreds of kilobytes. */
const maxListings = 50;

/**
 * The flags of one environment as SDKs see them: the bytes of every flag, by name, at a revision per project.
 *
 * Only `apply` changes a snapshot. It applies a change completely or not at all, and encodes only the changed flags.
 *
 * A listing is stored when its ETag is first read. Its body is made when it is first read.
 *   - The ETag of every stored listing is current: a change discards only the listings that contain a changed project.
 *   - Above `maxListings` the least recently used listing is discarded.
 */
export class EnvironmentSnapshot {
  readonly environment: string;
  #epoch = '';
  #revisions: Readonly<Record<string, number>> = {};
  #flags = new Map<string, Flag>();
  #segments = new Map<number, Segment>();
  /** The sorted names; null when they must be sorted again. */
  #names: readonly string[] | null = null;
  /** The least recently used first. */
  #listings = new Map<string, Listing>();
  /** Keys of listings without a prefix, by the `projects` array of a cached token. */
  #keys = new WeakMap<readonly string[], string>();

  constructor(environment: string) {
    this.environment = environment;
  }

  /** The state that flags needs to send only newer changes; null before the first change. */
  get known(): { epoch: string; revisions: Record<string, number> } | null {
    return this.#epoch === '' ? null : { epoch: this.#epoch, revisions: { ...this.#revisions } };
  }

  /** Whether the epoch or any revision differs from those of the snapshot. */
  isBehind(epoch: string, revisions: Record<string, number>): boolean {
    return (
      epoch !== this.#epoch ||
      Object.entries(revisions).some(([project, revision]) => revision !== this.#revisions[project])
    );
  }

  /** Drops a change that is older than the snapshot: another answer has overtaken it. */
  apply(change: SnapshotChange): void {
    if (change.epoch === this.#epoch && this.#isOlder(change.revisions)) return;
    if (change.isWhole) this.#flags = new Map();
    const changedSegments = this.#applySegments(change);
    if (change.isWhole || change.removed.length > 0) this.#names = null;
    for (const { name, project } of change.removed) {
      // A moved flag is removed from its old project and changed in its new one. Only its own project removes it.
      if (this.#flags.get(name)?.project === project) this.#flags.delete(name);
    }
    for (const { feature } of change.changed) {
      if (!this.#flags.has(feature.name)) this.#names = null;
      this.#flags.set(feature.name, this.#encode(feature));
    }
    if (changedSegments.size > 0) {
      for (const [name, { segmented }] of this.#flags) {
        if (segmented && segmentsOf(segmented).some((id) => changedSegments.has(id)))
          this.#flags.set(name, this.#encode(segmented));
      }
    }
    const before = this.#revisions;
    const projects = Object.keys({ ...before, ...change.revisions });
    const changedProjects = projects.filter((project) => before[project] !== change.revisions[project]);
    for (const [key, { query }] of this.#listings) {
      const isCurrent =
        change.epoch === this.#epoch && !changedProjects.some((project) => includesProject(query.projects, project));
      if (!isCurrent) this.#listings.delete(key);
    }
    this.#epoch = change.epoch;
    this.#revisions = { ...change.revisions };
  }

  /** Returns the segments whose constraints may have changed. */
  #applySegments({ isWhole, changedSegments, removedSegments }: SnapshotChange): Set<number> {
    if (isWhole) this.#segments = new Map();
    for (const { id, project } of removedSegments) {
      const segment = this.#segments.get(id);
      segment?.projects.delete(project);
      if (segment?.projects.size === 0) this.#segments.delete(id);
    }
    for (const { id, project, constraints } of changedSegments) {
      const projects = this.#segments.get(id)?.projects ?? new Set();
      this.#segments.set(id, { constraints, projects: projects.add(project) });
    }
    return new Set(changedSegments.map(({ id }) => id));
  }

  /** SDKs without support for segments get the constraints of a strategy's segments as its own. */
  #encode(feature: ClientFeature): Flag {
    const strategies = feature.strategies.map(({ segments = [], constraints, ...strategy }) => ({
      ...strategy,
      constraints: [...constraints, ...segments.flatMap((id) => this.#segments.get(id)?.constraints ?? never)],
    }));
    return {
      project: feature.project,
      bytes: Buffer.from(JSON.stringify({ ...feature, strategies })),
      segmented: segmentsOf(feature).length > 0 ? feature : null,
    };
  }

  #isOlder(revisions: Record<string, number>): boolean {
    return Object.entries(this.#revisions).some(([project, revision]) => (revisions[project] ?? 0) < revision);
  }

  /** The bytes of one flag; null when it does not exist in these projects. */
  flag(name: string, projects: readonly string[]): Buffer | null {
    const flag = this.#flags.get(name);
    return flag && includesProject(projects, flag.project) ? flag.bytes : null;
  }

  /** Quoted. */
  etag(query: ListingQuery): string {
    return this.#listing(query).etag;
  }

  listing(query: ListingQuery): Buffer {
    const listing = this.#listing(query);
    listing.body ??= this.#bodyOf(listing);
    return listing.body;
  }

  #listing(query: ListingQuery): Listing {
    const key = this.#keyOf(query);
    const listing = this.#listings.get(key) ?? this.#newListing(query, key);
    this.#listings.delete(key);
    this.#listings.set(key, listing);
    if (this.#listings.size > maxListings) this.#listings.delete(this.#listings.keys().next().value as string);
    return listing;
  }

  #keyOf({ projects, namePrefix }: ListingQuery): string {
    const known = namePrefix === undefined ? this.#keys.get(projects) : undefined;
    if (known !== undefined) return known;
    const key = JSON.stringify([[...projects].sort(), namePrefix ?? null]);
    if (namePrefix === undefined) this.#keys.set(projects, key);
    return key;
  }

  #newListing(query: ListingQuery, key: string): Listing {
    const queryHash = createHash('sha256').update(`${this.environment}\n${key}`).digest('hex').slice(0, 8);
    const revision = this.#revisionOf(query.projects);
    // The epoch distinguishes equal revisions before and after a restore of the database.
    const etag = `"${queryHash}:${revision}:${this.#epoch.slice(0, 8)}"`;
    return { query, queryHash, revision, etag, body: null };
  }

  #bodyOf({ query, queryHash, revision, etag }: Listing): Buffer {
    this.#names ??= [...this.#flags.keys()].sort();
    const parts: Buffer[] = [];
    for (const name of this.#names) {
      const { project, bytes } = this.#flags.get(name)!;
      if (includesProject(query.projects, project) && name.startsWith(query.namePrefix ?? '')) parts.push(bytes, comma);
    }
    parts.pop();
    const head = '{"version":2,"features":[';
    const tail = `],"query":${JSON.stringify({
      project: query.projects,
      environment: this.environment,
      ...(query.namePrefix === undefined ? {} : { namePrefix: query.namePrefix }),
      inlineSegmentConstraints: true,
    })},"meta":${JSON.stringify({ revisionId: revision, etag, queryHash })}}`;
    return Buffer.concat([Buffer.from(head), ...parts, Buffer.from(tail)]);
  }

  /**
   * One number for several projects: the sum of their revisions. Each revision only rises, so gateways with the same
   * content have the same sum, and every change gives another. The maximum would miss changes of lower revisions.
   */
  #revisionOf(projects: readonly string[]): number {
    return Object.entries(this.#revisions).reduce(
      (sum, [project, revision]) => (includesProject(projects, project) ? sum + revision : sum),
      0,
    );
  }
}

const comma = Buffer.from(',');

function includesProject(projects: readonly string[], project: string): boolean {
  return projects.includes('*') || projects.includes(project);
}

function segmentsOf({ strategies }: ClientFeature): number[] {
  return strategies.flatMap(({ segments = [] }) => segments);
}
