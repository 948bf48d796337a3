import { createHash } from 'node:crypto';

/**
 * How strategies name their segments: `separate` by id, with the segments beside the flags, or `inlined` as constraints
 * of their own, for SDKs without support for segments.
 */
export type SegmentFormat = 'separate' | 'inlined';

export interface Selection {
  environment: string;
  /** The projects that the scope names; `*` is every project. */
  projects: readonly string[];
  /** The beginning of the names of flags; without it, or empty, every name. */
  namePrefix?: string | undefined;
  /** `type:value`; a flag needs one of them. Without it, or empty: flags with any tags or none. */
  tags?: readonly string[] | undefined;
  segmentFormat: SegmentFormat;
  /** Filters of a request chose a part of what its token may read. */
  isFiltered?: boolean | undefined;
}

interface Selectable {
  name: string;
  project: string;
  tags: readonly string[];
}

/**
 * What a name takes in memory, apart from its characters: measured in Node 24, where it is in a list and a set, with
 * what a text of its own takes.
 */
const bytesOfName = 100;

/** The same of the scope without its names. */
const bytesOfScope = 1_000;

/**
 * The part of an environment that a listing, a delta or a stream contains. Equal selections have equal scopes on every
 * gateway, in whatever order projects and tags are named.
 */
export class Scope {
  readonly environment: string;
  /** The ids of the projects, sorted; `['*']` for every project. */
  readonly projects: readonly string[];
  readonly namePrefix: string;
  readonly tags: readonly string[];
  readonly segmentFormat: SegmentFormat;
  /** Tokens are made by administrators, so they have few scopes. Callers can make as many filters as they like. */
  readonly isFiltered: boolean;
  readonly key: string;
  /** The hash that stands for the scope in positions. */
  readonly hash: string;
  /** What it takes in memory at most. Callers choose how long its filters are. */
  readonly bytes: number;
  /** A filter may have a hundred names, and each flag and each project of an environment is compared with them. */
  readonly #projects: ReadonlySet<string>;
  readonly #tags: ReadonlySet<string>;

  constructor({ environment, projects, namePrefix = '', tags = [], segmentFormat, isFiltered = false }: Selection) {
    this.environment = environment;
    this.#projects = new Set(projects.includes('*') ? ['*'] : projects);
    this.#tags = new Set(tags);
    this.projects = [...this.#projects].sort();
    this.namePrefix = namePrefix;
    this.tags = [...this.#tags].sort();
    this.segmentFormat = segmentFormat;
    this.isFiltered = isFiltered;
    this.key = JSON.stringify([environment, this.projects, namePrefix, this.tags, segmentFormat]);
    // A client only ever compares its own few scopes, so 32 bits distinguish them.
    this.hash = createHash('sha256').update(this.key).digest('hex').slice(0, 8);
    // Two bytes of a character in the key, and two in the names.
    this.bytes = bytesOfScope + 4 * this.key.length + bytesOfName * (this.projects.length + this.tags.length);
  }

  get hasEveryProject(): boolean {
    return this.#projects.has('*');
  }

  hasProject(project: string): boolean {
    return this.hasEveryProject || this.#projects.has(project);
  }

  /** Whether a flag of this name can be in the scope, with other tags. */
  hasName(name: string): boolean {
    return name.startsWith(this.namePrefix);
  }

  includes({ name, project, tags }: Selectable): boolean {
    return (
      this.hasProject(project) &&
      this.hasName(name) &&
      (this.#tags.size === 0 || tags.some((tag) => this.#tags.has(tag)))
    );
  }
}
