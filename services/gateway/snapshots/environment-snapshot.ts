import { createHash } from 'node:crypto';
import type { ClientFeature } from '@yardarm/shared/contracts/flags';

/** One answer of flags.snapshot.fetch, put together from its pieces. */
export interface SnapshotChange {
  epoch: string;
  revisions: Record<string, number>;
  isWhole: boolean;
  changed: readonly ClientFeature[];
  removed: readonly { name: string; project: string }[];
}

interface Flag {
  project: string;
  bytes: Buffer;
}

/** What a listing was asked for. */
export interface ListingQuery {
  /** `['*']` is every project. */
  projects: readonly string[];
  namePrefix?: string | undefined;
}

/** A listing as it is kept: its ETag (quoted), and its body once that was asked for. */
interface Listing {
  query: ListingQuery;
  queryHash: string;
  revision: number;
  etag: string;
  body: Buffer | null;
}

/** Listings kept per environment; a system asks for few, and each may be hundreds of kilobytes. */
const maxListings = 50;

/**
 * The flags of one environment as SDKs see them: the bytes of every flag, by name, at a revision per project.
 *
 * A change costs in proportion to the change: only the changed flags' bytes are made anew. `apply` is the only way to change a
 * snapshot, and applies a change whole or not at all.
 *
 * A listing is kept from the first question for its ETag. Its body is made when it is first read.
 *   - The ETag of every kept listing is current: a change discards the listings that contain a changed project, and no others.
 *   - Above `maxListings` the least recently used listing is discarded.
 */
export class EnvironmentSnapshot {
  readonly environment: string;
  #epoch = '';
  #revisions: Readonly<Record<string, number>> = {};
  #flags = new Map<string, Flag>();
  /** Their names in order; null when it has to be made anew. */
  #names: readonly string[] | null = null;
  /** The least recently used listing is the first. */
  #listings = new Map<string, Listing>();
  /** Keys of listings without a prefix, by the list of projects that a token in memory holds. */
  #keys = new WeakMap<readonly string[], string>();

  constructor(environment: string) {
    this.environment = environment;
  }

  /** What flags needs to know to send only what is newer; null before the first change was applied. */
  get known(): { epoch: string; revisions: Record<string, number> } | null {
    return this.#epoch === '' ? null : { epoch: this.#epoch, revisions: { ...this.#revisions } };
  }

  /** Whether the revisions that flags tells are newer than, or foreign to, those here. */
  isBehind(epoch: string, revisions: Record<string, number>): boolean {
    return (
      epoch !== this.#epoch ||
      Object.entries(revisions).some(([project, revision]) => revision !== this.#revisions[project])
    );
  }

  /** Takes a change over. A change that is older than what is here (an answer overtaken by another) is dropped. */
  apply(change: SnapshotChange): void {
    if (change.epoch === this.#epoch && this.#isOlder(change.revisions)) return;
    if (change.isWhole) this.#flags = new Map();
    if (change.isWhole || change.removed.length > 0) this.#names = null;
    for (const { name, project } of change.removed) {
      // A flag that moved is removed from its old project and changed in its new one; only the owner's removal counts.
      if (this.#flags.get(name)?.project === project) this.#flags.delete(name);
    }
    for (const flag of change.changed) {
      if (!this.#flags.has(flag.name)) this.#names = null;
      this.#flags.set(flag.name, { project: flag.project, bytes: Buffer.from(JSON.stringify(flag)) });
    }
    const before = this.#revisions;
    const projects = Object.keys({ ...before, ...change.revisions });
    const changedProjects = projects.filter((project) => before[project] !== change.revisions[project]);
    for (const [key, { query }] of this.#listings) {
      const isCurrent = change.epoch === this.#epoch && !changedProjects.some((one) => sees(query.projects, one));
      if (!isCurrent) this.#listings.delete(key);
    }
    this.#epoch = change.epoch;
    this.#revisions = { ...change.revisions };
  }

  #isOlder(revisions: Record<string, number>): boolean {
    return Object.entries(this.#revisions).some(([project, revision]) => (revisions[project] ?? 0) < revision);
  }

  /** The bytes of one flag, or null when there is none that these projects may see. */
  flag(name: string, projects: readonly string[]): Buffer | null {
    const flag = this.#flags.get(name);
    return flag && sees(projects, flag.project) ? flag.bytes : null;
  }

  /** The ETag of a listing (quoted). */
  etag(query: ListingQuery): string {
    return this.#listing(query).etag;
  }

  /** The body of a listing: the answer of `GET /api/client/features`. */
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
    // The epoch, so that a revision which comes again after a restore of the database is not taken for the old content.
    const etag = `"${queryHash}:${revision}:${this.#epoch.slice(0, 8)}"`;
    return { query, queryHash, revision, etag, body: null };
  }

  #bodyOf({ query, queryHash, revision, etag }: Listing): Buffer {
    this.#names ??= [...this.#flags.keys()].sort();
    const parts: Buffer[] = [];
    for (const name of this.#names) {
      const { project, bytes } = this.#flags.get(name)!;
      if (sees(query.projects, project) && name.startsWith(query.namePrefix ?? '')) parts.push(bytes, comma);
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
   * One number for a set of projects: the sum of their revisions. Each only rises, so the sum is the same on every gateway with the
   * same content and another after every change. (The highest would miss a change in a project whose counter is lower.)
   */
  #revisionOf(projects: readonly string[]): number {
    return Object.entries(this.#revisions).reduce(
      (sum, [project, revision]) => (sees(projects, project) ? sum + revision : sum),
      0,
    );
  }
}

const comma = Buffer.from(',');

function sees(projects: readonly string[], project: string): boolean {
  return projects.includes('*') || projects.includes(project);
}
