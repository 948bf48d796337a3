import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Consumption } from '@yardarm/shared/bus';
import type { Database } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { FlagsTables } from './db/schema.ts';
import { handleAccountEvent, usersConsumer } from './users/keep-names.ts';

/** Everything the service listens to. */
const listeners = [
  (bus: Bus, db: Database<FlagsTables>) =>
    bus.consume({ stream: 'EVENTS', durable: usersConsumer, filter: 'evt.accounts.>' }, (message) =>
      handleAccountEvent(db, message),
    ),
];

export interface Consumers {
  processAll(): Promise<void>;
  stop(): Promise<void>;
}

/** JetStream that is away comes back in seconds, not in milliseconds. */
const retryMs = 1_000;

/**
 * Begins to listen; resolves after the first try. While JetStream does not answer it tries on in the background: requests need the
 * database alone, and what happens meanwhile waits in the outbox.
 */
export async function startConsumers(bus: Bus, db: Database<FlagsTables>, log: Logger): Promise<Consumers> {
  const stopping = new AbortController();
  const consumptions: Consumption[] = [];

  const begin = async (): Promise<boolean> => {
    try {
      await bus.ensureStreams(['EVENTS']);
      for (const listen of listeners.slice(consumptions.length)) consumptions.push(await listen(bus, db));
      return true;
    } catch (error) {
      log.warn({ err: coerceError(error) }, 'cannot listen to the stream of events yet; trying on');
      return false;
    }
  };
  const goOn = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted || (await begin())) return;
    }
  };
  const listening = (await begin()) ? Promise.resolve() : goOn();

  return {
    async processAll() {
      await listening;
      for (const consumption of consumptions) await consumption.processAll();
    },
    async stop() {
      stopping.abort();
      await listening;
      for (const consumption of consumptions) await consumption.stop();
    },
  };
}
