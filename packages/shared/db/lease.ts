import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { coerceError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import type { Database } from './database.ts';
import { measureLease } from './lease-metrics.ts';
import { prepared } from './prepared.ts';
import type { SharedTables } from './tables.ts';
import type { Transaction } from './transaction.ts';

// A lease has at most one holder among the replicas of a service. States:
//
//   waiting --acquire--> owned --lost--> waiting
//      \                   \--stop--> stopped (released)
//       \--stop--> stopped
//
// waiting  Another process holds the lease, or none does. This process tries to acquire it every `retryMs`.
// owned    The row has this holder and epoch, and has not expired by the clock of this process. The database sets the
//          expiry after this process has sent the renewal, so the row expires no earlier there than here. Renewed every
//          `renewMs`.
// lost     A renewal found another epoch, or no renewal succeeded for `ttlMs`. `onLost` is called, and work stops.
// stopped  The row has expired, so that a successor does not have to wait.
//
// Two processes can both act as the holder for a moment: one of them was paused between its call of owned() and its
// statement. So every write under the lease calls `requireCurrent` in its transaction or has `fence` in its statement.
// Each acquisition raises the epoch by one, and the fence refuses an old epoch. An acquisition cannot happen until the
// fenced transaction has ended. Fenced writes are therefore correct whatever the clocks show.

/** Longer than a garbage collection or a slow second. Short enough to replace a dead holder in seconds. */
const ttlMs = 5_000;
/** After a failed renewal, 3.5 s remain for retries every `retryMs`. */
const renewMs = 1_500;
/** The maximum time that a released lease stays free. After the first, an attempt is one statement on one row. */
const retryMs = 250;

/** The lease is lost: nothing may be written under its epoch any more. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export interface LeaseOptions<T extends SharedTables> {
  db: Database<T>;
  name: string;
  log: Logger;
  /** Called when a held lease is lost, but not when it is stopped. */
  onLost?(): void;
}

export interface Lease {
  /** The epoch while this process may act as the holder, else null. */
  owned(): { epoch: number } | null;
  /** Waits until this process holds the lease. Rejects with the signal's reason. */
  whenOwned(signal: AbortSignal): Promise<{ epoch: number }>;
  /** Throws LeaseLostError unless the epoch is current. No other process can acquire the lease until `trx` ends. */
  requireCurrent<U extends SharedTables>(trx: Transaction<U>, epoch: number): Promise<void>;
  /** A query for the `with` of a single statement. It returns one row while the epoch is current, else no row. */
  fence(epoch: number): RawBuilder<unknown>;
  /** Releases the lease, so that a successor acquires it at once. */
  stop(): Promise<void>;
}

/** Creates the lease table, in a migration of a service. */
export async function createLeaseTables<T>(db: Kysely<T>): Promise<void> {
  await sql`
    create table lease (
      name text not null,
      epoch bigint not null,
      holder uuid,
      expires_at timestamptz not null,
      constraint lease_pkey primary key (name)
    )`.execute(db);
}

/** Tries to acquire the lease of that name and, once acquired, renews it. */
export function startLease<T extends SharedTables>(options: LeaseOptions<T>): Lease {
  return new LeaseHolder(options.db, options);
}

class LeaseHolder implements Lease {
  readonly #rows: Kysely<SharedTables>;
  readonly #name: string;
  readonly #log: Logger;
  readonly #options: Pick<LeaseOptions<SharedTables>, 'onLost'>;
  readonly #holder = randomUUID();
  readonly #waiting = new Set<(acquired: { epoch: number }) => void>();
  readonly #stopMeasuring: () => void;
  #owned: { epoch: number; until: number } | null = null;
  #expiry: NodeJS.Timeout | undefined;
  #next: NodeJS.Timeout | undefined;
  #step: Promise<void> = Promise.resolve();
  #isStopped = false;
  #hasFailed = false;
  /** Whether an attempt has found or made the row. After a failure the database may be a restored one without it. */
  #hasRow = false;

  constructor(db: Pick<Database<SharedTables>, 'leases' | 'service'>, options: Omit<LeaseOptions<SharedTables>, 'db'>) {
    this.#rows = db.leases;
    this.#name = options.name;
    this.#log = options.log;
    this.#options = options;
    const isHeld = () => this.owned() !== null;
    this.#stopMeasuring = measureLease({ service: db.service, name: options.name, isHeld });
    this.#schedule(0);
  }

  owned(): { epoch: number } | null {
    // Reads the clock, because after a pause of the whole process the expiry timer has not run yet.
    if (!this.#owned || performance.now() >= this.#owned.until) return null;
    return { epoch: this.#owned.epoch };
  }

  whenOwned(signal: AbortSignal): Promise<{ epoch: number }> {
    const owned = this.owned();
    if (owned) return Promise.resolve(owned);
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.delete(settle);
        reject(signal.reason);
      };
      const settle = (acquired: { epoch: number }) => {
        signal.removeEventListener('abort', abort);
        resolve(acquired);
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(settle);
    });
  }

  async requireCurrent<U extends SharedTables>(trx: Transaction<U>, epoch: number): Promise<void> {
    const { rows } = await prepared('require-lease', this.fence(epoch)).execute(trx);
    if (rows.length === 0) throw new LeaseLostError(`the lease ${this.#name} of epoch ${epoch} has been lost`);
  }

  fence(epoch: number): RawBuilder<unknown> {
    // KEY SHARE allows renewals, which do not change the key. It blocks an acquisition, which locks FOR UPDATE.
    return sql`
      select 1 from lease where name = ${this.#name} and epoch = ${epoch} and holder = ${this.#holder} for key share`;
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return this.#step;
    this.#isStopped = true;
    this.#stopMeasuring();
    clearTimeout(this.#next);
    await this.#step;
    clearTimeout(this.#expiry);
    const owned = this.#owned;
    this.#owned = null;
    if (!owned) return;
    await sql`
      update lease set expires_at = clock_timestamp(), holder = null
      where name = ${this.#name} and epoch = ${owned.epoch} and holder = ${this.#holder}`
      .execute(this.#rows)
      .catch((error: unknown) =>
        this.#log.warn({ err: coerceError(error), lease: this.#name }, 'a lease was not released'),
      );
  }

  #schedule(afterMs: number): void {
    if (this.#isStopped) return;
    this.#next = setTimeout(() => {
      this.#step = this.#renewOrAcquire();
    }, afterMs);
  }

  async #renewOrAcquire(): Promise<void> {
    let hasFailed = false;
    try {
      if (this.#owned) await this.#renew(this.#owned.epoch);
      else await this.#acquire();
    } catch (error) {
      hasFailed = true;
      this.#hasRow = false;
      // An outage is one warning.
      const level = this.#hasFailed ? 'debug' : 'warn';
      this.#log[level]({ err: coerceError(error), lease: this.#name }, 'the database did not answer for a lease');
    }
    this.#hasFailed = hasFailed;
    // Up to a third more or less, so that replicas that started together do not retry together.
    this.#schedule(this.#owned && !hasFailed ? renewMs : retryMs * (0.67 + Math.random() * 0.66));
  }

  async #acquire(): Promise<void> {
    const sentAt = performance.now();
    const epoch = (await this.#acquireRow()) ?? ((await this.#insertRow()) ? await this.#acquireRow() : undefined);
    this.#hasRow = true;
    // The answer took as long as the lease lasts: let the lease expire unused.
    if (epoch === undefined || performance.now() >= sentAt + ttlMs) return;
    this.#own(epoch, sentAt);
    this.#log.info({ lease: this.#name, epoch }, 'holds the lease');
  }

  async #acquireRow(): Promise<number | undefined> {
    // SKIP LOCKED: the lease is not free while a fenced transaction of its holder has the row locked.
    const { rows } = await sql<{ epoch: number }>`
      update lease
      set epoch = epoch + 1, holder = ${this.#holder},
        expires_at = clock_timestamp() + ${sql.lit(ttlMs)} * interval '1 millisecond'
      where name = (
        select name from lease where name = ${this.#name} and expires_at <= clock_timestamp() for update skip locked
      )
      returning epoch`.execute(this.#rows);
    return rows[0]?.epoch;
  }

  /** Returns whether it inserted the row, as a free lease. */
  async #insertRow(): Promise<boolean> {
    if (this.#hasRow) return false;
    const { numAffectedRows } = await sql`
      insert into lease (name, epoch, expires_at) values (${this.#name}, 0, clock_timestamp())
      on conflict on constraint lease_pkey do nothing`.execute(this.#rows);
    return numAffectedRows === 1n;
  }

  async #renew(epoch: number): Promise<void> {
    const sentAt = performance.now();
    const { rows } = await sql`
      update lease set expires_at = clock_timestamp() + ${sql.lit(ttlMs)} * interval '1 millisecond'
      where name = ${this.#name} and epoch = ${epoch} and holder = ${this.#holder}
      returning 1`.execute(this.#rows);
    // The expiry timer may have run during the renewal. The lease is then acquired again, under a new epoch.
    if (this.#owned?.epoch !== epoch) return;
    if (rows.length === 0) this.#lose('another process has acquired it');
    else this.#own(epoch, sentAt);
  }

  #own(epoch: number, sentAt: number): void {
    this.#owned = { epoch, until: sentAt + ttlMs };
    clearTimeout(this.#expiry);
    const remainingMs = Math.max(0, this.#owned.until - performance.now());
    this.#expiry = setTimeout(() => this.#lose('it could not be renewed in time'), remainingMs);
    // Also after a renewal: the lease may have expired by the clock, and a waiter come, before the expiry timer ran.
    for (const settle of this.#waiting) settle({ epoch });
    this.#waiting.clear();
  }

  #lose(reason: string): void {
    clearTimeout(this.#expiry);
    if (!this.#owned) return;
    this.#log.warn({ lease: this.#name, epoch: this.#owned.epoch, reason }, 'lost the lease');
    this.#owned = null;
    this.#options.onLost?.();
  }
}
