import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { coerceError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import type { Database } from './database.ts';
import type { SharedTables } from './tables.ts';
import type { Transaction } from './transaction.ts';

// One holder at a time, among the replicas of a service.
//
//   waiting --take--> held --lost--> waiting
//      \                \--stop--> stopped (released)
//       \--stop--> stopped
//
// waiting  Somebody else holds it, or nobody: tries to take it every `retryMs`.
// held     The row names this holder and epoch, and this process's clock says that the row has not run out: its time was set
//          by the database after the renewal was sent, so it ends on the database's clock no sooner than here. Renewed every
//          `renewMs`.
// lost     A renewal found another epoch, or none succeeded for `ttlMs`. onLost is told; work in its name stops.
// stopped  The row runs out at once, so that a successor need not wait.
//
// Two can believe for a moment that they hold it: one whose process was paused, between its look at held() and its statement.
// So whoever writes in its name asks assertHeld in the same transaction, or `fence` in the same statement: the epoch is one higher with
// each taking, an old one is refused, and a taking waits until that transaction has ended. What is fenced so is right whatever the
// clocks do.

/** Long enough for a garbage collection or a slow second, short enough that a dead holder is replaced in seconds. */
const ttlMs = 5_000;
/** Leaves 3.5 s for tries every `retryMs` when one fails. */
const renewMs = 1_500;
/** How long a released lease stays nobody's, at most; each try is one statement on one row by its key. */
const retryMs = 250;

/** The lease has gone to another holder, or will: nothing may be written in its name any more. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

export interface LeaseOptions<T extends SharedTables> {
  db: Database<T>;
  name: string;
  log: Logger;
  onAcquired?(epoch: number): void;
  /** Called once for every onAcquired, but for a lease that is stopped. */
  onLost?(): void;
}

export interface Lease {
  /** The epoch while this process may act as the holder. */
  held(): { epoch: number } | null;
  /** Waits until it is held; rejects with the signal's reason. */
  whenHeld(signal: AbortSignal): Promise<{ epoch: number }>;
  /** Throws LeaseLostError unless the epoch is current; until `trx` ends, nobody else can take the lease. */
  assertHeld<U extends SharedTables>(trx: Transaction<U>, epoch: number): Promise<void>;
  /** The same for one statement that is no transaction: a query for its `with`, of one row while the epoch is current, else of none. */
  fence(epoch: number): RawBuilder<unknown>;
  /** Gives the lease back, so that a successor takes it at once. */
  stop(): Promise<void>;
}

/** Makes the table of leases. From a service's migration. */
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

/** Begins to try for the lease of that name, and keeps it once it has it. */
export function startLease<T extends SharedTables>(options: LeaseOptions<T>): Lease {
  return new LeaseHolder(options.db.leases, options);
}

class LeaseHolder implements Lease {
  readonly #rows: Kysely<SharedTables>;
  readonly #name: string;
  readonly #log: Logger;
  readonly #options: Pick<LeaseOptions<SharedTables>, 'onAcquired' | 'onLost'>;
  readonly #holder = randomUUID();
  readonly #waiting = new Set<(held: { epoch: number }) => void>();
  #held: { epoch: number; until: number } | null = null;
  #expiry: NodeJS.Timeout | undefined;
  #next: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(rows: Kysely<SharedTables>, options: Omit<LeaseOptions<SharedTables>, 'db'>) {
    this.#rows = rows;
    this.#name = options.name;
    this.#log = options.log;
    this.#options = options;
    this.#schedule(0);
  }

  held(): { epoch: number } | null {
    // Asks the clock: after a pause of the whole process the timer that would say so has not run yet.
    if (!this.#held || performance.now() >= this.#held.until) return null;
    return { epoch: this.#held.epoch };
  }

  whenHeld(signal: AbortSignal): Promise<{ epoch: number }> {
    const held = this.held();
    if (held) return Promise.resolve(held);
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.delete(take);
        reject(signal.reason);
      };
      const take = (acquired: { epoch: number }) => {
        signal.removeEventListener('abort', abort);
        resolve(acquired);
      };
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.add(take);
    });
  }

  async assertHeld<U extends SharedTables>(trx: Transaction<U>, epoch: number): Promise<void> {
    const { rows } = await this.fence(epoch).execute(trx);
    if (rows.length === 0) throw new LeaseLostError(`the lease ${this.#name} of epoch ${epoch} has been lost`);
  }

  fence(epoch: number): RawBuilder<unknown> {
    // KEY SHARE lets the own renewals through, which leave the key alone, and not a taking, which locks FOR UPDATE.
    return sql`
      select 1 from lease where name = ${this.#name} and epoch = ${epoch} and holder = ${this.#holder} for key share`;
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return this.#turn;
    this.#isStopped = true;
    clearTimeout(this.#next);
    await this.#turn;
    clearTimeout(this.#expiry);
    const held = this.#held;
    this.#held = null;
    if (!held) return;
    await sql`
      update lease set expires_at = clock_timestamp(), holder = null
      where name = ${this.#name} and epoch = ${held.epoch} and holder = ${this.#holder}`
      .execute(this.#rows)
      .catch((error: unknown) =>
        this.#log.warn({ err: coerceError(error), lease: this.#name }, 'a lease was not released'),
      );
  }

  #schedule(afterMs: number): void {
    if (this.#isStopped) return;
    this.#next = setTimeout(() => {
      this.#turn = this.#takeTurn();
    }, afterMs);
  }

  async #takeTurn(): Promise<void> {
    let hasFailed = false;
    try {
      if (this.#held) await this.#renew(this.#held.epoch);
      else await this.#take();
    } catch (error) {
      hasFailed = true;
      this.#log.warn({ err: coerceError(error), lease: this.#name }, 'the database did not answer for a lease');
    }
    // A third of a period more or less, so that replicas started together do not ask together.
    this.#schedule(this.#held && !hasFailed ? renewMs : retryMs * (0.67 + Math.random() * 0.66));
  }

  async #take(): Promise<void> {
    const sentAt = performance.now();
    const epoch = (await this.#takeRow()) ?? ((await this.#makeRow()) ? await this.#takeRow() : undefined);
    // An answer that took as long as the lease: it runs out unused.
    if (epoch === undefined || performance.now() >= sentAt + ttlMs) return;
    this.#hold(epoch, sentAt);
    this.#log.info({ lease: this.#name, epoch }, 'holds the lease');
    this.#options.onAcquired?.(epoch);
    for (const take of this.#waiting) take({ epoch });
    this.#waiting.clear();
  }

  async #takeRow(): Promise<number | undefined> {
    // SKIP LOCKED: a row that the holder has locked for a transaction in its name is not free, and there is no use in waiting.
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

  /** Whether it was not there; free, then. */
  async #makeRow(): Promise<boolean> {
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
    // The timer may have given it up while this was on its way: it is taken anew then, under an epoch of its own.
    if (this.#held?.epoch !== epoch) return;
    if (rows.length === 0) this.#lose('another holds it');
    else this.#hold(epoch, sentAt);
  }

  #hold(epoch: number, sentAt: number): void {
    this.#held = { epoch, until: sentAt + ttlMs };
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.#lose('it could not be renewed in time'), sentAt + ttlMs - performance.now());
  }

  #lose(reason: string): void {
    clearTimeout(this.#expiry);
    if (!this.#held) return;
    this.#log.warn({ lease: this.#name, epoch: this.#held.epoch, reason }, 'lost the lease');
    this.#held = null;
    this.#options.onLost?.();
  }
}
