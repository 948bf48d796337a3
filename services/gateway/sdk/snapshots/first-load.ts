import type { PartHealth } from '@yardarm/shared/service';

export interface FirstLoadOptions {
  /** False in a gateway that serves no SDKs. Nothing is missing there. */
  holdsFlags: boolean;
  isThere(environment: string): boolean;
  /** The environments of the SDK tokens in the copy. */
  ofTokens: Iterable<string>;
  maxWaitMs: number;
  clock?: () => number;
}

/**
 * Whether the environments that SDKs read have been loaded once, from flags or from the copy. States:
 *
 *   waiting -> Some are missing. The gateway is not ready: their reads are 503.
 *   overdue -> Some are still missing after `maxWaitMs`, and others are there. The gateway is ready and degraded, so
 *              that an environment which cannot be loaded does not keep the others from their SDKs.
 *   loaded  -> Each has been loaded. This state never ends: an environment that is loaded keeps its snapshot.
 *
 * The environments are those of the SDK tokens in the copy, which the SDKs of this gateway use. So a gateway with a
 * whole copy is ready while flags is away. Without such a token they are all that flags has, since any of them may be
 * read. One that flags has deleted is not missing.
 *
 * It also knows why flags did not answer the last poll, and which environment is to be loaded next.
 */
export class FirstLoad {
  readonly #holdsFlags: boolean;
  readonly #isThere: (environment: string) => boolean;
  readonly #ofTokens: ReadonlySet<string>;
  readonly #maxWaitMs: number;
  readonly #clock: () => number;
  readonly #startedAt: number;
  /** The environments that flags has; null before its first answer. */
  #existing: ReadonlySet<string> | null = null;
  /** Why the last poll failed; null when it succeeded. */
  #pollProblem: string | null = 'flags has not answered yet';
  #hasPolled = false;
  #isLoaded = false;
  /** Those that SDKs have asked for while they were missing. */
  readonly #wanted = new Set<string>();

  constructor({ holdsFlags, isThere, ofTokens, maxWaitMs, clock = () => performance.now() }: FirstLoadOptions) {
    this.#holdsFlags = holdsFlags;
    this.#isThere = isThere;
    this.#ofTokens = new Set(ofTokens);
    this.#maxWaitMs = maxWaitMs;
    this.#clock = clock;
    this.#startedAt = clock();
  }

  /** Flags has answered a poll with its environments, which may not be loaded yet. */
  answered(existing: Iterable<string>): void {
    if (this.#existing === null) this.#pollProblem = 'flags has not sent every environment yet';
    this.#existing = new Set(existing);
  }

  /** All that flags had at the beginning of the poll is loaded. */
  succeeded(): void {
    this.#pollProblem = null;
    this.#hasPolled = true;
  }

  failed(reason: string): void {
    this.#pollProblem = reason;
  }

  /** The reason why the environment cannot be read; null when it can be, or does not exist. */
  problem(environment: string): string | null {
    if (this.#isThere(environment)) return null;
    if (this.#existing === null) return this.#pollProblem;
    if (!this.#existing.has(environment)) return null;
    this.#wanted.add(environment);
    return this.#pollProblem ?? 'flags has not sent this environment yet';
  }

  /** The environment to load next: one that SDKs have asked for, else one of a token of the copy, else any. */
  next(missing: ReadonlySet<string>): string | undefined {
    for (const preferred of [this.#wanted, this.#ofTokens]) {
      for (const environment of preferred) if (missing.has(environment)) return environment;
    }
    return missing.values().next().value;
  }

  health(): PartHealth {
    const reason = this.#pollProblem === null ? '' : `: ${this.#pollProblem}`;
    const missing = this.#missingHealth();
    if (typeof missing === 'string') return missing + reason;
    if (missing !== null) return { degraded: missing.degraded + reason };
    if (this.#pollProblem === null) return null;
    const isOfCopy = this.#holdsFlags && !this.#hasPolled;
    return { degraded: `${isOfCopy ? 'SDKs get the copy until flags answers' : 'flags does not answer'}${reason}` };
  }

  missing(): string[] {
    return this.#holdsFlags ? this.#all().filter((name) => !this.#isThere(name)) : [];
  }

  /** Null when nothing is missing. */
  #missingHealth(): PartHealth {
    if (!this.#holdsFlags) return null;
    const all = this.#all();
    if (this.#existing === null && all.length === 0) return 'no environment is loaded yet';
    const missing = this.missing();
    const isAwaited = (name: string) => this.#ofTokens.size === 0 || this.#ofTokens.has(name);
    this.#isLoaded ||= !missing.some(isAwaited);
    if (missing.length === 0) return null;
    const problem = `not loaded yet: ${listed(missing)}`;
    const isOverdue = this.#clock() - this.#startedAt >= this.#maxWaitMs && missing.length < all.length;
    return this.#isLoaded || isOverdue ? { degraded: problem } : problem;
  }

  #all(): string[] {
    return [...(this.#existing ?? this.#ofTokens)].sort();
  }
}

/** An answer of a probe is read by people. */
const maxListed = 5;

function listed(names: readonly string[]): string {
  const more = names.length - maxListed;
  return names.slice(0, maxListed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
