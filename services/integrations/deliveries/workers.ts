import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '@yardarm/shared/contracts/events';
import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { IntegrationsTables } from '../db/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { openParameters, type StoredIntegration } from '../integrations/integration.ts';
import { attempts } from '../metrics.ts';
import type { Parameters, Providers, Published } from '../providers/index.ts';
import { type ClaimedDelivery, findIntegrationsWithWork, renewClaims } from './claims.repo.ts';
import type { Attempt } from './deliveries.repo.ts';
import { type Finished, recordInterrupted } from './record-attempts.ts';
import { type Claimed, takeTurn } from './take-turn.ts';

/**
 * Sends to one integration at once, over all replicas. An endpoint that answers in 100 ms gets 80 a second, and what is recorded together is
 * up to eight; one that hangs for 20 s holds eight sockets, until its circuit opens.
 */
const sendsPerIntegration = 8;

/**
 * Sends at once in this process; a send is a socket and some kilobytes. When half of them are taken an integration gets one at a time, so that
 * some three hundred endpoints that hang together still leave room for the others. Each opens its circuit after two rounds of 20 s, and then
 * takes one at a time with pauses.
 */
const sendsAtOnce = 512;

/**
 * A claim is renewed until its attempt is recorded, so it only has to outlast a stall of its worker: what a dead one held, and all
 * behind it, waits this long.
 */
const claimMs = 10_000;
const renewMs = 3_000;

/** What has been sent is tried to be written down for so long: a Postgres that restarts or fails over is back by then. */
const persistMs = 40_000;

/** Intake and finished sends wake the workers at once; this finds retries that are due, and what other replicas took in. */
const pollMs = 1_000;

/**
 * Of what the intake takes in, so much at the most is claimed at once: what comes by itself. What comes in a crowd is claimed by turns, which
 * take several together anyway.
 */
const handedAtOnce = 64;

/**
 * How long what has been sent waits for more to be recorded with it, unless all that the integration sends has ended: while nothing is known to
 * wait for its end, and while something is. Changes that come twenty milliseconds apart are then recorded by half as many statements, and
 * those that come in a crowd eight at a time; a slow endpoint loses a few milliseconds a round. A crash repeats those of so long at the most.
 */
const gatherMs = { idle: 25, busy: 5 };

/** Of the ten seconds that a process has to stop, what may be spent on waiting for endpoints. */
const patienceMs = 6_000;

/** Of an answer that is kept with its attempt: the reason stands at the beginning. */
const longestKeptAnswer = 1_024;

export interface WorkerOptions {
  db: Database<IntegrationsTables>;
  providers: Providers;
  keys: Keyring;
  /** How long an endpoint may fail before its integration is disabled. */
  disableAfterMs: number;
  log: Logger;
}

/** The part of a replica that sends. */
export interface Workers {
  /** Looks now and not at the next poll: for these integrations, or for any. */
  wake(integrations?: readonly number[]): void;
  /** Has new deliveries made, sends those that were claimed as they were made, and looks for the others. */
  takeIn<T extends { claimed: readonly Claimed[]; receivers: readonly number[] }>(
    take: (limits: { atOnce: number; inAll: number; claimMs: number }) => Promise<T>,
  ): Promise<T>;
  /** Resolves when nothing is due and this process sends nothing. */
  processAll(): Promise<void>;
  /** Claims nothing more, waits for what is being sent, and after a while cuts it off and gives it back. */
  stop(): Promise<void>;
}

/** One integration in this process, for as long as there is something to do for it. */
interface Turns {
  /** What has been sent and is not recorded yet. */
  finished: Finished[];
  /** Something may be due, and does not wait for more to be recorded. */
  isWanted: boolean;
  /** Ends the wait for more to be recorded. */
  hurry: () => void;
  /** Several could not be recorded together: each is tried alone, so that the one at fault holds up no other. */
  isOneByOne: boolean;
  running: Promise<void>;
}

/**
 * One look finds the integrations that have work; each takes its turns, and each delivery is sent, apart from every other, so that no
 * integration waits for another's lock or endpoint. A turn (take-turn.ts) records what has been sent meanwhile and
 * claims what is due next, so that the busier an endpoint is, the more goes into one. Nothing is open while sending.
 */
export function startWorkers(options: WorkerOptions): Workers {
  const { db, disableAfterMs, log } = options;
  const cutOff = new AbortController();
  const turns = new Map<number, Turns>();
  const sending = new Set<Promise<void>>();
  /** How many of them go to each integration. */
  const sendingTo = new Map<number, number>();
  /** The integrations as they were when something of theirs was last claimed. */
  const known = new Map<number, StoredIntegration>();
  /** Integrations whose last turn claimed something: more may be due as soon as a send has ended. */
  const busy = new Set<number>();
  const takingIn = new Set<Promise<unknown>>();
  /** Claimed and not recorded yet. */
  const held = new Set<ClaimedDelivery>();
  let looking: Promise<void> | null = null;
  let lookAgain = false;
  /** Sends that turns under way may claim. */
  let reserved = 0;
  /** An integration could claim less than it may because this process sends so much. */
  let isHeldBack = false;
  let claimedSoFar = 0;
  let isStopped = false;

  function wake(): void {
    if (isStopped) return;
    lookAgain = true;
    looking ??= look().finally(() => {
      looking = null;
      if (lookAgain) wake();
    });
  }

  async function look(): Promise<void> {
    lookAgain = false;
    try {
      for (const id of await findIntegrationsWithWork(db.kysely)) want(id);
    } catch (error) {
      log.warn({ err: coerceError(error) }, 'cannot look for deliveries; at the next poll again');
    }
  }

  function want(id: number, ...finished: Finished[]): void {
    const running = turns.get(id);
    const isWanted = finished.length === 0;
    if (running) {
      running.isWanted ||= isWanted;
      running.finished.push(...finished);
      if (running.isWanted || isComplete(id, running)) running.hurry();
      return;
    }
    const made: Turns = {
      ...{ finished, isWanted, isOneByOne: false },
      ...{ hurry: () => {}, running: Promise.resolve() },
    };
    turns.set(id, made);
    made.running = takeTurns(id, made);
  }

  /** Whether nothing would be gained by waiting: a whole round has ended, or, where more is known to wait, all that is being sent. */
  function isComplete(id: number, { finished }: Turns): boolean {
    return finished.length >= sendsPerIntegration || (busy.has(id) && !sendingTo.has(id));
  }

  /** Waits until more has been sent, unless something waits for the turn. */
  async function gather(id: number, mine: Turns): Promise<void> {
    if (mine.isWanted || isStopped || isComplete(id, mine)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, busy.has(id) ? gatherMs.busy : gatherMs.idle);
      mine.hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function room(): number {
    const taken = sending.size + reserved;
    if (taken >= sendsAtOnce) return 0;
    return taken < sendsAtOnce / 2 ? sendsPerIntegration : 1;
  }

  async function takeTurns(id: number, mine: Turns): Promise<void> {
    while (mine.finished.length > 0 || (mine.isWanted && !isStopped)) {
      await gather(id, mine);
      mine.isWanted = false;
      mine.isOneByOne &&= mine.finished.length > 0;
      const batch = takeBatch(mine);
      const atOnce = isStopped ? 0 : room();
      isHeldBack ||= atOnce < sendsPerIntegration;
      reserved += atOnce;
      try {
        const integration = { integrationId: id, known: known.get(id) };
        const claimed = await takeTurn(db, integration, batch, { atOnce, claimMs, disableAfterMs }).finally(() => {
          reserved -= atOnce;
        });
        for (const { delivery } of batch) held.delete(delivery);
        if (claimed && claimed.deliveries.length > 0) busy.add(id);
        else busy.delete(id);
        if (claimed) begin(claimed);
        else known.delete(id);
      } catch (error) {
        await handleFailure(id, mine, batch, error);
      }
    }
    turns.delete(id);
  }

  async function handleFailure(id: number, mine: Turns, batch: Finished[], error: unknown): Promise<void> {
    const [only, ...others] = batch;
    if (only === undefined) {
      log.warn({ err: coerceError(error), integrationId: id }, 'cannot claim deliveries; at the next poll again');
    } else if (others.length > 0) {
      mine.isOneByOne = true;
      mine.finished.unshift(...batch);
    } else if (cutOff.signal.aborted || Date.now() > only.chance.nowMs + persistMs) {
      held.delete(only.delivery);
      const ids = { integrationId: id, eventId: only.delivery.eventId };
      log.warn({ err: coerceError(error), ...ids }, 'an attempt was not recorded; it will be made again');
    } else {
      // Behind the others, whose turn comes first.
      mine.finished.push(only);
      await sleep(pollMs, undefined, { signal: cutOff.signal }).catch(() => {});
    }
  }

  function begin({ integration, deliveries }: Claimed): void {
    claimedSoFar += deliveries.length;
    known.set(integration.id, integration);
    for (const delivery of deliveries) {
      held.add(delivery);
      countSend(integration.id, 1);
      const sent = send(options, { integration, delivery }, cutOff.signal).then((finished) => {
        sending.delete(sent);
        countSend(integration.id, -1);
        if (finished) want(integration.id, finished);
        else held.delete(delivery);
        if (isHeldBack) wake();
        isHeldBack = false;
      });
      sending.add(sent);
    }
  }

  function countSend(id: number, change: 1 | -1): void {
    const count = (sendingTo.get(id) ?? 0) + change;
    if (count === 0) sendingTo.delete(id);
    else sendingTo.set(id, count);
  }

  async function settle(): Promise<void> {
    while (looking || turns.size > 0 || sending.size > 0 || takingIn.size > 0) {
      const taking = [...takingIn].map((one) => one.catch(() => {}));
      await Promise.all([looking, ...[...turns.values()].map(({ running }) => running), ...sending, ...taking]);
    }
  }

  function renew(): void {
    if (held.size === 0) return;
    renewClaims(db.kysely, [...held], claimMs).catch((error: unknown) =>
      log.debug({ err: coerceError(error) }, 'claims were not renewed; at the next time again'),
    );
  }

  const poll = setInterval(wake, pollMs);
  const renewing = setInterval(renew, renewMs);
  wake();
  return {
    wake(integrations) {
      if (integrations === undefined) wake();
      else if (!isStopped) for (const id of integrations) want(id);
    },
    takeIn(take) {
      const half = sendsAtOnce / 2;
      const inAll = isStopped ? 0 : Math.max(0, Math.min(handedAtOnce, half - sending.size - reserved));
      reserved += inAll;
      const taking = take({ atOnce: sendsPerIntegration, inAll, claimMs })
        .then((taken) => {
          for (const claimed of taken.claimed) begin(claimed);
          for (const id of taken.receivers) if (!isStopped) want(id);
          return taken;
        })
        .finally(() => {
          reserved -= inAll;
          takingIn.delete(taking);
        });
      takingIn.add(taking);
      return taking;
    },
    async processAll() {
      for (let before = -1; !isStopped && before !== claimedSoFar; ) {
        before = claimedSoFar;
        wake();
        await settle();
      }
    },
    async stop() {
      isStopped = true;
      clearInterval(poll);
      for (const { hurry } of turns.values()) hurry();
      const patience = setTimeout(() => cutOff.abort(), patienceMs);
      await settle();
      clearTimeout(patience);
      clearInterval(renewing);
    },
  };
}

/** The next to be recorded: one of each delivery, since a claim that ran out may have brought a second attempt. */
function takeBatch(mine: Turns): Finished[] {
  if (mine.isOneByOne) return mine.finished.splice(0, 1);
  const batch = new Map<number, Finished>();
  const later: Finished[] = [];
  for (const finished of mine.finished) {
    const { id } = finished.delivery;
    if (batch.has(id)) later.push(finished);
    else batch.set(id, finished);
  }
  mine.finished = later;
  return [...batch.values()];
}

/** Sends one delivery; returns what is to be recorded, or nothing when it was cut off and has been given back. */
async function send(
  { db, providers, keys, log }: WorkerOptions,
  { integration, delivery }: { integration: Claimed['integration']; delivery: ClaimedDelivery },
  cutOff: AbortSignal,
): Promise<Finished | null> {
  const startedAt = new Date();
  const end = attempts.startTimer({ provider: integration.provider });
  const published = await publish({ providers, keys, log }, { integration, delivery }, cutOff);
  end({ state: published.state });
  const nowMs = Date.now();
  const attempt: Attempt = {
    number: delivery.attempt,
    startedAt,
    durationMs: nowMs - startedAt.getTime(),
    status: published.status,
    errorCode: published.errorCode,
    // Text of Postgres takes no NUL.
    responseBody: published.responseBody?.slice(0, longestKeptAnswer).replaceAll('\u0000', '') ?? null,
  };
  if (!cutOff.aborted || published.status !== null) {
    return { integration, delivery, attempt, published, chance: { random: Math.random(), nowMs } };
  }
  await recordInterrupted(db, delivery, { ...attempt, errorCode: 'interrupted' }).catch((error: unknown) => {
    const ids = { integrationId: integration.id, eventId: delivery.eventId };
    log.warn({ err: coerceError(error), ...ids }, 'an attempt was not recorded; it will be made again');
  });
  return null;
}

async function publish(
  { providers, keys, log }: { providers: Providers; keys: Keyring; log: Logger },
  { integration, delivery }: { integration: Claimed['integration']; delivery: ClaimedDelivery },
  signal: AbortSignal,
): Promise<Published> {
  const { eventJson, progress, traceparent } = delivery;
  try {
    const provider = providers.get(integration.provider);
    if (!provider) throw new Error(`there is no provider ${integration.provider}`);
    const event = JSON.parse(eventJson) as Event;
    const parameters = parametersOf(keys, integration);
    return await provider.publish({
      integrationId: integration.id,
      parameters,
      event,
      eventJson,
      progress,
      traceparent,
      signal,
    });
  } catch (error) {
    const { name, stack } = coerceError(error);
    // Without the message: it may quote a parameter.
    const frames = stack?.split('\n').filter((line) => /^\s+at /.test(line));
    log.error({ error: name, frames, integrationId: integration.id, eventId: delivery.eventId }, 'a provider failed');
    const stateDetails = 'The message could not be made; the log of integrations says why.';
    const nothing = { status: null, retryAfter: null, responseBody: null, progress: null };
    return { state: 'failed', stateDetails, details: {}, errorCode: 'internal', next: 'retry', ...nothing };
  }
}

/** Opened once for as long as the integration is held in memory as it was read: decrypting is a twelfth of what a send takes of us. */
const opened = new WeakMap<StoredIntegration, Parameters>();

function parametersOf(keys: Keyring, integration: StoredIntegration): Parameters {
  const known = opened.get(integration);
  if (known) return known;
  const parameters = openParameters(keys, integration);
  opened.set(integration, parameters);
  return parameters;
}
