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

  constructor({ environment, projects, namePrefix = '', tags = [], segmentFormat, isFiltered = false }: Selection) {
    this.environment = environment;
    this.projects = projects.includes('*') ? ['*'] : [...new Set(projects)].sort();
    this.namePrefix = namePrefix;
    this.tags = [...new Set(tags)].sort();
    this.segmentFormat = segmentFormat;
    this.isFiltered = isFiltered;
    this.key = JSON.stringify([environment, this.projects, namePrefix, this.tags, segmentFormat]);
    // A client only ever compares its own few scopes, so 32 bits distinguish them.
    this.hash = createHash('sha256').update(this.key).digest('hex').slice(0, 8);
  }

  hasProject(project: string): boolean {
    return this.projects[0] === '*' || this.projects.includes(project);
  }

  /** Whether a flag of this name can be in the scope, with other tags. */
  hasName(name: string): boolean {
    return name.startsWith(this.namePrefix);
  }

  includes({ name, project, tags }: Selectable): boolean {
    return (
      this.hasProject(project) &&
      this.hasName(name) &&
      (this.tags.length === 0 || this.tags.some((tag) => tags.includes(tag)))
    );
  }
}
