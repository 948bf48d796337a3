import type { Database, Transaction } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import { pause, WakeUp } from '@yardarm/shared/waiting';
import type { IntegrationsTables } from '../db/schema.ts';
import type { StoredIntegration } from '../integrations/integration.ts';
import { lockIntegration } from '../integrations/integrations.repo.ts';
import { circuitState } from './circuit.ts';
import { type ClaimedDelivery, type ClaimLimits, claimDue } from './claims.repo.ts';
import { cancelEventsOfPeople } from './deliveries.repo.ts';
import type { Semaphore } from './semaphore.ts';
import { createSend, type Send, type SenderOptions } from './send.ts';
import { type EndedAttempt, settle } from './settle.ts';

/**
 * The limit of concurrent sends to one integration, over all replicas. An endpoint that answers in 100 ms receives 80 a
 * second, and up to eight arrive at once. One that hangs for 20 s occupies eight sockets until its circuit opens.
 */
const maxInFlight = 8;

/**
 * A claim is renewed until its attempt is settled, so it only has to outlast a stall of its process. The deliveries of
 * a dead process, and all deliveries behind them, wait this long.
 */
export const claimMs = 10_000;

/**
 * How long an ended attempt waits to be settled with others: if nothing else is due, and if something is. Changes that
 * are twenty milliseconds apart then need half as many transactions. A backlog loses a few milliseconds per round.
 */
const gatherMs = { idle: 25, busy: 5 };

/** The time for attempts to settle: a Postgres that restarts or fails over is back by then. */
const persistMs = 40_000;
const settleAgainMs = 1_000;

/** Only a wake-up ends a wait in `sending`; the guarded client ends each send within 20 s. */
const sendLimitMs = 60_000;

export interface DispatcherOptions extends SenderOptions {
  db: Database<IntegrationsTables>;
  disableAfterMs: number;
  slots: Semaphore;
  /** Aborted when nothing more may be claimed. */
  stopping: AbortSignal;
  /** Aborted when sends must end. An attempt that cannot be settled at once is left until its claim expires. */
  cutOff: AbortSignal;
}

/**
 * Claims, sends and settles the deliveries of one integration in this process.
 *
 *   idle --schedule--> claiming --owned--> sending --sends have ended--> settling --> claiming
 *     ^                   |                   \--schedule, and a free send--> claiming
 *     \---nothing owned---/
 *
 * idle      Nothing is scheduled, in flight or unsettled.
 * claiming  A transaction holds the lock of the integration and claims what circuit, order and limits allow.
 * sending   No transaction is open. Waits until sends have ended or something is scheduled.
 * settling  A transaction holds the lock and records the sends that have ended. The same transaction then claims.
 *
 * Sends continue in every state, so that a slow one delays no other. A claimed delivery is owned, and its claim is
 * renewed, until it is settled or `persistMs` has passed. If a transaction of several attempts fails, they are settled
 * one by one, so that an attempt that cannot be stored does not block the others.
 */
export class Dispatcher {
  /** The deliveries that are claimed and not settled. */
  readonly owned = new Set<ClaimedDelivery>();
  running: Promise<void> | null = null;
  readonly #options: DispatcherOptions;
  readonly #integrationId: number;
  readonly #wakeUp = new WakeUp();
  readonly #sendOne: Send;
  #inFlight = 0;
  #ended: EndedAttempt[] = [];
  #isDirty = false;
  /** The last claim left due deliveries. */
  #hasMore = false;
  #isOneByOne = false;

  constructor(options: DispatcherOptions, integrationId: number) {
    this.#options = options;
    this.#integrationId = integrationId;
    this.#sendOne = createSend(options);
  }

  schedule(): void {
    this.#isDirty = true;
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
    let settleAt = Number.POSITIVE_INFINITY;
    while (!this.#isReady() && performance.now() < settleAt) {
      const gather = performance.now() + (this.#hasMore ? gatherMs.busy : gatherMs.idle);
      if (this.#ended.length > 0) settleAt = Math.min(settleAt, gather);
      await this.#wakeUp.wait(Math.min(settleAt - performance.now(), sendLimitMs));
    }
  }

  /** Whether to stop waiting for more attempts to settle together. */
  #isReady(): boolean {
    if (this.#isDirty && this.#maxClaims() > 0) return true;
    if (this.#ended.length === 0) return false;
    const isRoundOver = this.#hasMore && this.#inFlight === 0;
    return isRoundOver || this.#ended.length >= maxInFlight || this.#isOneByOne || this.#options.stopping.aborted;
  }

  /**
   * The number of deliveries to claim. When half of the process's sends are in use, each integration gets one at a
   * time, so that endpoints that hang leave sends for the others.
   */
  #maxClaims(): number {
    return (this.#options.slots.isHalfUsed ? 1 : maxInFlight) - this.#inFlight;
  }

  async #settleAndClaim(): Promise<void> {
    const { slots, stopping } = this.#options;
    const ended = this.#nextEnded();
    const permits = stopping.aborted ? 0 : slots.acquire(this.#maxClaims(), this.#integrationId);
    this.#isDirty = false;
    if (ended.length === 0 && permits === 0) return;
    let used = 0;
    try {
      const { integration, claimed } = await this.#transact(ended, permits);
      used = claimed.length;
      for (const { delivery } of ended) this.owned.delete(delivery);
      this.#hasMore = claimed.at(-1)?.hasMore ?? false;
      for (const delivery of claimed) void this.#send(integration!, delivery);
    } catch (error) {
      await this.#afterFailure(ended, error);
    } finally {
      slots.release(permits - used);
    }
  }

  #transact(ended: readonly EndedAttempt[], permits: number) {
    const { db, disableAfterMs } = this.#options;
    return db.transaction(async (trx) => {
      const locked = await lockIntegration(trx, this.#integrationId);
      const integration = locked && (await settle(trx, locked, ended, disableAfterMs));
      const circuit = integration?.enabled && circuitState(integration.circuit, Date.now());
      if (!integration || !circuit || circuit === 'open' || permits === 0) return { integration, claimed: [] };
      const limits = { maxInFlight: circuit === 'half-open' ? 1 : maxInFlight, maxClaims: permits, claimMs };
      return { integration, claimed: await claimAllowed(trx, integration, limits) };
    });
  }

  async #send(integration: StoredIntegration, delivery: ClaimedDelivery): Promise<void> {
    this.#inFlight += 1;
    this.owned.add(delivery);
    const ended = await this.#sendOne(integration, delivery, this.#options.cutOff);
    this.#inFlight -= 1;
    this.#ended.push(ended);
    this.#options.slots.release(1);
    this.#wakeUp.wake();
  }

  /** The next attempts to settle, one per delivery. A delivery whose claim expired may have two. */
  #nextEnded(): EndedAttempt[] {
    this.#isOneByOne &&= this.#ended.length > 0;
    const eventIds = this.#ended.map(({ delivery }) => delivery.eventId);
    const candidates = this.#ended.filter(({ delivery }, index) => eventIds.indexOf(delivery.eventId) === index);
    const next = candidates.slice(0, this.#isOneByOne ? 1 : undefined);
    this.#ended = this.#ended.filter((ended) => !next.includes(ended));
    return next;
  }

  async #afterFailure(ended: readonly EndedAttempt[], thrown: unknown): Promise<void> {
    const { log, cutOff } = this.#options;
    const [only] = ended;
    const context = { err: coerceError(thrown), integrationId: this.#integrationId, eventId: only?.delivery.eventId };
    if (only === undefined) {
      log.warn(context, 'cannot claim deliveries; the next poll tries again');
    } else if (ended.length > 1 && !cutOff.aborted) {
      this.#isOneByOne = true;
      this.#ended.unshift(...ended);
    } else if (cutOff.aborted || Date.now() > only.drawn.nowMs + persistMs) {
      for (const { delivery } of ended) this.owned.delete(delivery);
      log.warn(context, 'attempts were not settled; others follow');
    } else {
      // Behind the others, which are settled first.
      this.#ended.push(only);
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
