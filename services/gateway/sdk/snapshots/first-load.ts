import type { PartHealth } from '@yardarm/shared/service';

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
 */
export class FirstLoad {
  readonly #ofTokens: ReadonlySet<string>;
  readonly #maxWaitMs: number;
  readonly #startedAt = performance.now();
  #isLoaded = false;

  constructor(ofTokens: Iterable<string>, maxWaitMs: number) {
    this.#ofTokens = new Set(ofTokens);
    this.#maxWaitMs = maxWaitMs;
  }

  /** Null when nothing is missing. `existing` are the environments of flags; null before it has answered. */
  health(isThere: (environment: string) => boolean, existing: ReadonlySet<string> | null): PartHealth {
    const all = this.#all(existing);
    if (existing === null && all.length === 0) return 'no environment is loaded yet';
    const missing = this.missing(isThere, existing);
    const isAwaited = (name: string) => this.#ofTokens.size === 0 || this.#ofTokens.has(name);
    this.#isLoaded ||= !missing.some(isAwaited);
    if (missing.length === 0) return null;
    const problem = `not loaded yet: ${listed(missing)}`;
    const isOverdue = performance.now() - this.#startedAt >= this.#maxWaitMs && missing.length < all.length;
    return this.#isLoaded || isOverdue ? { degraded: problem } : problem;
  }

  missing(isThere: (environment: string) => boolean, existing: ReadonlySet<string> | null): string[] {
    return this.#all(existing).filter((name) => !isThere(name));
  }

  #all(existing: ReadonlySet<string> | null): string[] {
    return [...(existing ?? this.#ofTokens)].sort();
  }
}

/** An answer of a probe is read by people. */
const maxListed = 5;

function listed(names: readonly string[]): string {
  const more = names.length - maxListed;
  return names.slice(0, maxListed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
