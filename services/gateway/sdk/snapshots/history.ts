import type { Scope } from './scope.ts';

/** What led from one state of an environment to the next. */
export interface HistoryEntry {
  /** The projects whose revisions rose, with the difference. */
  raised: readonly { project: string; by: number }[];
  /** The flags that are new, changed or gone, in each project that they had before or have after this change. */
  flags: readonly { name: string; project: string }[];
  /** The same of segments: those that changed, and those of the strategies of these flags before this change. */
  segments: readonly { id: number; project: string }[];
}

/** What may differ between a past state of a scope and the current one. */
export interface Changes {
  /** The revision of the past state, from which the changes lead on. */
  from: number;
  /** The project of each flag, in the past state or now. */
  flags: ReadonlyMap<string, string>;
  segments: ReadonlySet<number>;
}

/** A client that polls every 15 s is in it at 60 changes per second. An entry takes some hundred bytes. */
const maxEntries = 1_000;
/** Names in all entries together: about two megabytes. */
const maxNames = 20_000;

/**
 * The last states of an environment, as the entries between them. The oldest entries are dropped above `maxEntries` and
 * `maxNames`. A scope's revision in a past state is its current one less what the later entries have raised.
 */
export class History {
  #entries: HistoryEntry[] = [];
  #names = 0;

  clear(): void {
    this.#entries = [];
    this.#names = 0;
  }

  push(entry: HistoryEntry): void {
    this.#entries.push(entry);
    this.#names += namesIn(entry);
    while (this.#entries.length > maxEntries || this.#names > maxNames) this.#names -= namesIn(this.#entries.shift()!);
  }

  /**
   * What may have changed after the last state whose revision is at most `revision`; null when that state is older than
   * the first one here. A reader between two states may have got changes of the one between them from another gateway.
   * It gets them again, with the flags that only existed in between.
   */
  since(scope: Scope, current: number, revision: number): Changes | null {
    const flags = new Map<string, string>();
    const segments = new Set<number>();
    let from = current;
    for (let index = this.#entries.length - 1; from > revision; index -= 1) {
      const entry = this.#entries[index];
      if (entry === undefined) return null;
      for (const { project, by } of entry.raised) if (scope.hasProject(project)) from -= by;
      for (const { name, project } of entry.flags)
        if (scope.hasProject(project) && scope.hasName(name)) flags.set(name, project);
      for (const { id, project } of entry.segments) if (scope.hasProject(project)) segments.add(id);
    }
    return { from, flags, segments };
  }
}

function namesIn({ flags, segments }: HistoryEntry): number {
  return flags.length + segments.length;
}
