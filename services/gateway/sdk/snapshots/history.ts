import type { Scope } from './scope.ts';

/** What led from one state of an environment to the next. */
export interface Step {
  /** The projects whose revisions rose, with the difference. */
  raised: readonly { project: string; by: number }[];
  /** The flags that are new, changed or gone, in each project that they had before or have after the step. */
  flags: readonly { name: string; project: string }[];
  /** The same of segments: those that changed, and those of the strategies of these flags before the step. */
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

/** A client that polls every 15 s is in it at 60 changes per second. A step takes some hundred bytes. */
const maxSteps = 1_000;
/** Names in all steps together: about two megabytes. */
const maxNames = 20_000;

/**
 * The last states of an environment, as the steps between them. The oldest steps are dropped above `maxSteps` and
 * `maxNames`. A scope's revision in a past state is its current one less what the later steps have raised.
 */
export class History {
  #steps: Step[] = [];
  #names = 0;

  clear(): void {
    this.#steps = [];
    this.#names = 0;
  }

  push(step: Step): void {
    this.#steps.push(step);
    this.#names += namesIn(step);
    while (this.#steps.length > maxSteps || this.#names > maxNames) this.#names -= namesIn(this.#steps.shift()!);
  }

  /**
   * What may have changed after the last state whose revision is at most `revision`; null when that state is older than
   * the first one here. A reader between two states may have got changes of the step between them from another gateway.
   * It gets them again, with the flags that only existed in between.
   */
  since(scope: Scope, current: number, revision: number): Changes | null {
    const flags = new Map<string, string>();
    const segments = new Set<number>();
    let from = current;
    for (let index = this.#steps.length - 1; from > revision; index -= 1) {
      const step = this.#steps[index];
      if (step === undefined) return null;
      for (const { project, by } of step.raised) if (scope.hasProject(project)) from -= by;
      for (const { name, project } of step.flags)
        if (scope.hasProject(project) && scope.hasName(name)) flags.set(name, project);
      for (const { id, project } of step.segments) if (scope.hasProject(project)) segments.add(id);
    }
    return { from, flags, segments };
  }
}

function namesIn({ flags, segments }: Step): number {
  return flags.length + segments.length;
}
