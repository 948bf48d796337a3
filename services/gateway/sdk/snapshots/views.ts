import type { Coding } from '../../routing/content-coding.ts';
import { EncodedBody } from './encoded-body.ts';
import { encodeDelta, encodeHydration, encodeListing } from './encodings.ts';
import type { EnvironmentSnapshot } from './environment-snapshot.ts';
import { type SnapshotPosition, toPosition } from './positions.ts';
import type { Scope } from './scope.ts';

/** A view without bodies and scope: its ETags and maps. */
const viewBytes = 2_000;

/** Most readers of deltas are at one of the last states. The deltas of others are not stored. */
const maxDeltas = 20;

/** Of a delta that is not stored: what fifteen thousand readers have at once is below the memory of a gateway. */
const maxOwnDeltaBytes = 64_000;

/**
 * What a scope contains at one revision: its position and, as they are first asked for, the bodies of its answers. A
 * body is asked for in the same turn of the event loop as the view, while the snapshot is at that revision.
 *
 * The first body of a filtered scope is not stored. So a caller with ever new filters neither fills the memory of views
 * nor takes it from others, and an SDK that keeps its filter has a stored body from its second answer on.
 */
export class ScopeView implements SnapshotPosition {
  readonly snapshot: EnvironmentSnapshot;
  readonly scope: Scope;
  readonly epoch: string;
  readonly revision: number;
  readonly position: string;
  /** The ETags with the quotes that the header has. */
  readonly etags: Readonly<Record<Coding, string>>;
  /** The version of the snapshot at which the view was last found to be current. */
  #version: number;
  readonly #onBytes: (added: number) => void;
  #listing: EncodedBody | null = null;
  #hydration: EncodedBody | null = null;
  /** By the revision of the state from which it leads to this one; the hydration for a large one beyond `maxDeltas`. */
  readonly #deltas = new Map<number, EncodedBody>();
  #isStoring: boolean;
  bytes: number;

  /** `previous` is the view of the same scope at an earlier state. */
  constructor(
    snapshot: EnvironmentSnapshot,
    scope: Scope,
    previous?: ScopeView,
    onBytes: (view: ScopeView, added: number) => void = () => undefined,
  ) {
    this.snapshot = snapshot;
    this.scope = scope;
    this.bytes = viewBytes + scope.bytes;
    this.#version = snapshot.version;
    this.#isStoring = previous === undefined ? !scope.isFiltered : previous.#isStoring;
    this.epoch = snapshot.epoch;
    this.revision = snapshot.revisionOf(scope);
    this.position = toPosition(this);
    const { position } = this;
    this.etags = { identity: `"${position}"`, gzip: `"${position}:gzip"`, br: `"${position}:br"` };
    this.#onBytes = (added) => {
      this.bytes += added;
      onBytes(this, added);
    };
  }

  isCurrent(snapshot: EnvironmentSnapshot): boolean {
    if (snapshot !== this.snapshot) return false;
    if (snapshot.version === this.#version) return true;
    if (snapshot.epoch !== this.epoch || snapshot.revisionOf(this.scope) !== this.revision) return false;
    this.#version = snapshot.version;
    return true;
  }

  listing(): EncodedBody {
    return this.#listing ?? this.#encoded(encodeListing(this, this.etags.identity), (body) => (this.#listing = body));
  }

  hydration(): EncodedBody {
    return this.#hydration ?? this.#encoded(encodeHydration(this), (body) => (this.#hydration = body));
  }

  /** Whether something may be newer than an earlier revision. A change of a flag outside the filter raises it too. */
  hasChangesSince(revision: number): boolean {
    const changes = this.snapshot.changesSince(this.scope, revision);
    return changes === null || changes.flags.size > 0 || changes.segments.size > 0;
  }

  /**
   * What is newer than an earlier revision; the hydration when the history does not reach back to it. A large delta
   * that is not stored is the hydration too, which readers share: each would have a body of its own in memory.
   */
  deltaSince(revision: number): EncodedBody {
    const changes = this.snapshot.changesSince(this.scope, revision);
    if (changes === null) return this.hydration();
    const stored = this.#deltas.get(changes.from);
    if (stored) return stored;
    const plain = encodeDelta(this, changes);
    if (this.#deltas.size < maxDeltas) return this.#encoded(plain, (body) => this.#deltas.set(changes.from, body));
    if (plain.length <= maxOwnDeltaBytes) return new EncodedBody(plain, 'one');
    // It is not encoded again for the next reader.
    const hydration = this.hydration();
    this.#deltas.set(changes.from, hydration);
    return hydration;
  }

  #encoded(plain: Buffer, store: (body: EncodedBody) => void): EncodedBody {
    if (!this.#isStoring) {
      this.#isStoring = true;
      return new EncodedBody(plain, 'one');
    }
    this.#onBytes(plain.length);
    const body = new EncodedBody(plain, 'many', this.#onBytes);
    store(body);
    return body;
  }
}

/**
 * The views that were read last, of all environments. Invariants:
 *   - `of` returns a view of the current state. A view stays while no project of its scope changes, whatever else does.
 *   - Above `maxBytes` the least recently read views are discarded, but never the one that was read last.
 */
export class ScopeViews {
  readonly #maxBytes: number;
  /**
   * By the key of the scope, the least recently read first. No LRUCache: that fixes a size when an entry is set, and
   * stores no entry above its maximum. A view grows with each body, and the last one is kept whatever its size.
   */
  readonly #views = new Map<string, ScopeView>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  of(snapshot: EnvironmentSnapshot, scope: Scope): ScopeView {
    const { key } = scope;
    let view = this.#views.get(key);
    if (view) this.#views.delete(key);
    if (!view?.isCurrent(snapshot)) {
      if (view) this.#bytes -= view.bytes;
      view = new ScopeView(snapshot, scope, view, (grown, added) => this.#count(grown, added));
      this.#bytes += view.bytes;
    }
    this.#views.set(key, view);
    this.#discard();
    return view;
  }

  /** A compression may end after its view was discarded. */
  #count(view: ScopeView, added: number): void {
    if (this.#views.get(view.scope.key) !== view) return;
    this.#bytes += added;
    this.#discard();
  }

  #discard(): void {
    for (const [key, { bytes }] of this.#views) {
      if (this.#bytes <= this.#maxBytes || this.#views.size === 1) return;
      this.#views.delete(key);
      this.#bytes -= bytes;
    }
  }
}
