import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '@yardarm/shared/contracts/events';
import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { IntegrationsTables } from '../db/schema.ts';
import type { Keyring } from '../encryption/keyring.ts';
import { openParameters } from '../integrations/integration.ts';
import { attempts } from '../metrics.ts';
import type { Providers, Published } from '../providers/index.ts';
import { type Claimed, claimDeliveries } from './claim-deliveries.ts';
import { type Attempt, type ClaimedDelivery, findIntegrationsWithWork, renewClaim } from './deliveries.repo.ts';
import { recordAttempt, recordInterrupted } from './record-attempt.ts';

/**
 * Sends to one integration at once, over all replicas. An endpoint that answers in 100 ms gets 40 a second; one that hangs for 20 s holds
 * four sockets and a twentieth of a connection.
 */
const sendsPerIntegration = 4;

/** Sends at once in this process: 64 endpoints that hang leave the others room to spare. A send is a socket and some kilobytes. */
const sendsAtOnce = 256;

/**
 * A claim is renewed while its worker lives, so it only has to outlast a stall of it: what a dead one held, and all behind it, waits
 * this long.
 */
const claimMs = 10_000;
const renewMs = 3_000;

/** What has been sent is tried to be written down for so long: a Postgres that restarts or fails over is back by then. */
const persistMs = 40_000;

/** Intake and finished sends wake the workers at once; this finds retries that are due, and what other replicas took in. */
const pollMs = 1_000;

/** Of the ten seconds that a process has to stop, what may be spent on waiting for endpoints. */
const patienceMs = 6_000;

/** Of an answer that is kept with its attempt: the reason stands at the beginning. */
const longestKeptAnswer = 1_024;

/** The part of a replica that sends. */
export interface Workers {
  /** Looks now and not at the next poll. */
  wake(): void;
  /** Resolves when nothing is due and this process sends nothing. */
  processAll(): Promise<void>;
  /** Claims nothing more, waits for what is being sent, and after a while cuts it off and gives it back. */
  stop(): Promise<void>;
}

/**
 * One look finds the integrations that have work; each is claimed for, and each delivery sent, apart from every other, so that no
 * integration waits for another's lock or endpoint. Claim and record are transactions; nothing is open in between.
 */
export function startWorkers(options: {
  db: Database<IntegrationsTables>;
  providers: Providers;
  keys: Keyring;
  /** How long an endpoint may fail before its integration is disabled. */
  disableAfterMs: number;
  log: Logger;
}): Workers {
  const { db, log } = options;
  const cutOff = new AbortController();
  const claiming = new Map<number, Promise<void>>();
  const missed = new Set<number>();
  const sending = new Set<Promise<void>>();
  let looking: Promise<void> | null = null;
  let lookAgain = false;
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
      for (const id of await findIntegrationsWithWork(db.kysely)) {
        if (claiming.has(id)) missed.add(id);
        else if (sending.size < sendsAtOnce && !isStopped) claiming.set(id, claimFor(id));
      }
    } catch (error) {
      log.warn({ err: coerceError(error) }, 'cannot look for deliveries; at the next poll again');
    }
  }

  async function claimFor(id: number): Promise<void> {
    try {
      const claimed = await claimDeliveries(db, id, { atOnce: sendsPerIntegration, claimMs });
      if (claimed) begin(claimed);
    } catch (error) {
      log.warn({ err: coerceError(error), integrationId: id }, 'cannot claim deliveries; at the next poll again');
    }
    claiming.delete(id);
    if (missed.delete(id)) wake();
  }

  function begin({ integration, deliveries }: Claimed): void {
    claimedSoFar += deliveries.length;
    for (const delivery of deliveries) {
      const sent = send(options, { integration, delivery }, cutOff.signal)
        .catch((error: unknown) => {
          const ids = { integrationId: integration.id, eventId: delivery.eventId };
          log.warn({ err: coerceError(error), ...ids }, 'an attempt was not recorded; it will be made again');
        })
        .finally(() => {
          sending.delete(sent);
          wake();
        });
      sending.add(sent);
    }
  }

  const poll = setInterval(wake, pollMs);
  wake();
  return {
    wake,
    async processAll() {
      for (let before = -1; !isStopped && before !== claimedSoFar; ) {
        before = claimedSoFar;
        await Promise.all(sending);
        wake();
        while (looking || claiming.size > 0) await Promise.all([looking, ...claiming.values()]);
        await Promise.all(sending);
      }
    },
    async stop() {
      isStopped = true;
      clearInterval(poll);
      await Promise.all([looking, ...claiming.values()]);
      const patience = setTimeout(() => cutOff.abort(), patienceMs);
      while (sending.size > 0) await Promise.all(sending);
      clearTimeout(patience);
    },
  };
}

/** Sends one delivery and records what came of it. */
async function send(
  { db, providers, keys, disableAfterMs, log }: Parameters<typeof startWorkers>[0],
  claimed: { integration: Claimed['integration']; delivery: ClaimedDelivery },
  cutOff: AbortSignal,
): Promise<void> {
  const { integration, delivery } = claimed;
  const startedAt = new Date();
  const end = attempts.startTimer({ provider: integration.provider });
  const renewing = setInterval(() => {
    renewClaim(db.kysely, delivery, claimMs).catch((error: unknown) =>
      log.debug({ err: coerceError(error) }, 'a claim was not renewed; at the next time again'),
    );
  }, renewMs);
  try {
    const published = await publish({ providers, keys, log }, claimed, cutOff);
    end({ state: published.state });
    const attempt: Attempt = {
      number: delivery.attempt,
      startedAt,
      durationMs: Date.now() - startedAt.getTime(),
      status: published.status,
      errorCode: published.errorCode,
      // Text of Postgres takes no NUL.
      responseBody: published.responseBody?.slice(0, longestKeptAnswer).replaceAll('\u0000', '') ?? null,
    };
    const isCutOff = cutOff.aborted && published.status === null;
    await persist(Date.now() + persistMs, cutOff, () =>
      isCutOff
        ? recordInterrupted(db, delivery, { ...attempt, errorCode: 'interrupted' })
        : recordAttempt(db, claimed, attempt, published, disableAfterMs),
    );
  } finally {
    clearInterval(renewing);
  }
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
    const parameters = openParameters(keys, integration);
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

/** What has been sent is worth a few tries at writing it down. */
async function persist(untilMs: number, cutOff: AbortSignal, record: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await record();
    } catch (error) {
      if (cutOff.aborted || Date.now() + pollMs > untilMs) throw error;
      await sleep(pollMs);
    }
  }
}
