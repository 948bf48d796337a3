import type { Database, Transaction } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import { pause, WakeUp } from '@yardarm/shared/waiting';
import type { IntegrationsTables } from '../db/schema.ts';
import type { StoredIntegration } from '../integrations/integration.ts';
import { lockIntegration } from '../integrations/integrations.repo.ts';
import { circuitState } from './circuit.ts';
import { type ClaimedDelivery, type ClaimLimits, claimDue, giveBackClaims } from './claims.repo.ts';
import { cancelEventsOfPeople } from './deliveries.repo.ts';
import { maxClaimed, maxInFlight, SendQueue, type SendQueueOptions } from './send-queue.ts';
import { type EndedAttempt, settle } from './settle.ts';

/**
 * A claim is renewed until its attempt is settled, so it only has to outlast a stall of its process. The deliveries of
 * a dead process, and all deliveries behind them, wait this long.
 */
export const claimMs = 10_000;

/**
 * The time between two transactions while nothing is left to send. Changes that are a few milliseconds apart then share
 * a transaction, which costs as much as the sends of eight deliveries. It is a tenth of what a webhook may take.
 */
const paceMs = 25;

/** The time for attempts to settle: a Postgres that restarts or fails over is back by then. */
const persistMs = 40_000;
const settleAgainMs = 1_000;

/** The end of a send ends a wait in `sending`. Without a wake-up the wait ends after this. */
const maxWaitMs = 60_000;

export interface DispatcherOptions extends SendQueueOptions {
  db: Database<IntegrationsTables>;
  disableAfterMs: number;
}

/**
 * Claims, sends and settles the deliveries of one integration in this process.
 *
 *   idle --schedule--> claiming --claimed--> sending --sends have ended--> settling --> claiming
 *     ^                   |                   \--schedule, and few are unsent--> claiming
 *     \---nothing owned---/
 *
 * idle      Nothing is scheduled, unsent, in flight or unsettled.
 * claiming  A transaction holds the lock of the integration and claims what circuit, order and limits allow.
 * sending   No transaction is open. Waits until sends have ended or something is scheduled.
 * settling  A transaction holds the lock, records the sends that have ended, and gives back what was not sent in time.
 *           The same transaction then claims.
 *
 * Sends continue in every state (send-queue.ts), so that a slow one delays no other. A claimed delivery is owned, and
 * its claim is renewed, until it is settled or given back, or `persistMs` has passed. If a transaction of several
 * attempts fails, they are settled one by one, so that an attempt that cannot be stored does not block the others.
 */
export class Dispatcher {
  /** The deliveries that are claimed and neither settled nor given back. */
  readonly owned = new Set<ClaimedDelivery>();
  running: Promise<void> | null = null;
  readonly #options: DispatcherOptions;
  readonly #integrationId: number;
  readonly #wakeUp = new WakeUp();
  readonly #queue: SendQueue;
  #isDirty = false;
  /** The last claim left due deliveries. */
  #hasMore = false;
  #isOneByOne = false;
  /** Of the integration at the last transaction. */
  #version: number | undefined;
  /** When the next transaction may begin although deliveries are left to send. */
  #nextAt = 0;

  constructor(options: DispatcherOptions, integrationId: number) {
    this.#options = options;
    this.#integrationId = integrationId;
    this.#queue = new SendQueue(options, integrationId, () => this.#wakeUp.wake());
  }

  schedule(): void {
    this.#isDirty = true;
    this.#queue.fill();
    this.#wakeUp.wake();
    this.running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#isDirty || this.owned.size > 0) {
      await this.#whileSending();
      await this.#settleAndClaim();
    }
    this.running = null;
  }

  async #whileSending(): Promise<void> {
    for (let dueAt = this.#dueAt(); dueAt > performance.now(); dueAt = this.#dueAt())
      await this.#wakeUp.wait(Math.min(dueAt - performance.now(), maxWaitMs));
  }

  /** When the next transaction begins. It waits for others to share it, unless sends are free or too much waits. */
  #dueAt(): number {
    const { ended, returned, staleAt, isHungry } = this.#queue;
    const isStopping = this.#options.stopping.aborted;
    const isNow = (isStopping || this.#isOneByOne || ended.length >= maxClaimed) && ended.length > 0;
    if (isNow || (isStopping && this.#queue.hasUnsent) || (this.#hasMore && isHungry)) return 0;
    const isDue = ended.length > 0 || returned.length > 0 || (this.#isDirty && this.#queue.room() > 0);
    return isDue ? this.#nextAt : staleAt;
  }

  async #settleAndClaim(): Promise<void> {
    this.#isOneByOne &&= this.#queue.ended.length > 0;
    const ended = this.#queue.takeEnded(this.#isOneByOne ? 1 : maxClaimed);
    this.#queue.returnUnsent({ all: false });
    const maxClaims = this.#options.stopping.aborted ? 0 : this.#queue.reserve();
    this.#isDirty = false;
    this.#hasMore = false;
    this.#nextAt = performance.now() + paceMs;
    let claimed: readonly ClaimedDelivery[] = [];
    let integration: StoredIntegration | undefined;
    try {
      if (ended.length === 0 && this.#queue.returned.length === 0 && maxClaims === 0) return;
      const done = await this.#transact(ended, maxClaims);
      ({ claimed, integration } = done);
      for (const delivery of [...ended.map((end) => end.delivery), ...done.returned]) this.owned.delete(delivery);
      this.#queue.returned = this.#queue.returned.filter((delivery) => !done.returned.includes(delivery));
      for (const delivery of claimed) this.owned.add(delivery);
      this.#hasMore = claimed.at(-1)?.hasMore ?? false;
    } catch (error) {
      await this.#afterFailure(ended, error);
    } finally {
      this.#queue.add(integration, claimed);
    }
  }

  #transact(ended: readonly EndedAttempt[], maxClaims: number) {
    const { db, disableAfterMs } = this.#options;
    return db.transaction(async (trx) => {
      const locked = await lockIntegration(trx, this.#integrationId);
      const integration = locked && (await settle(trx, locked, ended, disableAfterMs));
      const circuit = integration?.enabled ? circuitState(integration.circuit, Date.now()) : 'open';
      // What is unsent was claimed for the integration as it was.
      this.#queue.returnUnsent({ all: circuit !== 'closed' || integration?.version !== this.#version });
      this.#version = integration?.version;
      const returned = [...this.#queue.returned];
      if (integration) await giveBackClaims(trx, integration, returned);
      if (!integration || circuit === 'open' || maxClaims === 0) return { integration, returned, claimed: [] };
      const most = circuit === 'half-open' ? { maxInFlight: 1, maxOwned: 1 } : { maxInFlight, maxOwned: maxClaimed };
      const owned = this.owned.size - ended.length - returned.length;
      const limits = { ...most, owned, maxClaims, claimMs };
      return { integration, returned, claimed: await claimAllowed(trx, integration, limits) };
    });
  }

  async #afterFailure(ended: readonly EndedAttempt[], thrown: unknown): Promise<void> {
    const { log, cutOff } = this.#options;
    const [only] = ended;
    const context = { err: coerceError(thrown), integrationId: this.#integrationId, eventId: only?.delivery.eventId };
    if (only === undefined) {
      log.warn(context, 'cannot claim deliveries; the next poll tries again');
      // Their claims expire.
      for (const delivery of this.#queue.returned.splice(0)) this.owned.delete(delivery);
    } else if (ended.length > 1 && !cutOff.aborted) {
      this.#isOneByOne = true;
      this.#queue.ended.unshift(...ended);
    } else if (cutOff.aborted || performance.now() > only.endedAt + persistMs) {
      for (const { delivery } of ended) this.owned.delete(delivery);
      log.warn(context, 'attempts were not settled; others follow');
    } else {
      // Behind the others, which are settled first.
      this.#queue.ended.push(only);
      await pause(settleAgainMs, cutOff);
    }
  }
}

/**
 * Claims due deliveries, and cancels those of events of people that the integration may not be sent. Intake may have
 * inserted them while it was being changed.
 */
async function claimAllowed(
  trx: Transaction<IntegrationsTables>,
  integration: StoredIntegration,
  limits: ClaimLimits,
): Promise<ClaimedDelivery[]> {
  for (;;) {
    const claimed = await claimDue(trx, integration, limits);
    if (integration.maySendEventsOfPeople || claimed.length === 0) return claimed;
    const eventIds = claimed.map(({ eventId }) => eventId);
    const cancelled = await cancelEventsOfPeople(trx, integration.id, { states: ['sending'], eventIds });
    const allowed = claimed.filter(({ eventId }) => !cancelled.has(eventId));
    if (allowed.length > 0) return allowed;
  }
}
