import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startNats } from '../servers/nats.ts';
import { whyNoNats } from '../servers/nats-address.ts';
import { findNats } from '../servers/nats-binary.ts';
import { startPostgres } from '../servers/postgres.ts';
import { makeDatabase, whyNoPostgres, withoutPassword } from '../servers/postgres-address.ts';
import { restartDelayMs } from './backoff.ts';
import type { Options } from './options.ts';
import { natsAddresses } from './options.ts';

/** A server the launcher uses: its own, or one that was there and that stop() leaves alone. */
export type Server = { url: string; stop(): Promise<void> };

type Running = { url: string; port: number; ended: Promise<void>; stop(): Promise<void> };

/**
 * Keeps an own server running: where it ends unasked it is started again on the same port, so that its address,
 * which the services were given, stays good.
 */
async function keepRunning(
  name: string,
  start: (port?: number) => Promise<Running>,
  say: (line: string) => void,
): Promise<Server> {
  const first = await start();
  const stopping = new AbortController();
  let current = first;

  async function startAgain(): Promise<void> {
    for (let failures = 1; !stopping.signal.aborted; failures += 1) {
      const delayMs = restartDelayMs(failures);
      say(`${name} ended; starting it again in ${delayMs / 1000} s`);
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      try {
        current = await start(first.port);
        return;
      } catch (error) {
        say((error as Error).message);
      }
    }
  }
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await current.ended;
      if (!stopping.signal.aborted) await startAgain();
    }
  })();
  return {
    url: first.url,
    async stop() {
      stopping.abort();
      await current.stop();
      await watching;
      // A restart that was under way when the stop came has made another one.
      await current.stop();
    },
  };
}

/** The Postgres to use: DATABASE_URL's, or an own one with a database `yardarm`. `url` is its owner's. */
export async function bringPostgres(options: Options, say: (line: string) => void): Promise<Server> {
  if (options.DATABASE_URL) {
    const fault = await whyNoPostgres(options.DATABASE_URL);
    if (fault)
      throw new Error(`Postgres at DATABASE_URL (${withoutPassword(options.DATABASE_URL)}) cannot be used: ${fault}`);
    return { url: options.DATABASE_URL, async stop() {} };
  }
  const dataDir = path.join(options.dataDir, 'postgres');
  const server = await keepRunning(
    'Postgres',
    (port) => startPostgres({ dataDir, durable: true, log: say, port }),
    say,
  );
  try {
    return { ...server, url: await makeDatabase(server.url, 'yardarm') };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The NATS to use: NATS_URL's, or an own one. */
export async function bringNats(options: Options, say: (line: string) => void): Promise<Server> {
  if (options.NATS_URL) {
    const faults = await Promise.all(natsAddresses(options.NATS_URL).map(whyNoNats));
    // One of a cluster's servers is enough.
    if (faults.every((fault) => fault !== undefined)) {
      const shown = natsAddresses(options.NATS_URL).map(withoutPassword).join(', ');
      throw new Error(`NATS at NATS_URL (${shown}) cannot be used: ${faults[0]}`);
    }
    return { url: options.NATS_URL, async stop() {} };
  }
  const program = await findNats(say);
  const storeDir = path.join(options.dataDir, 'nats');
  return keepRunning('nats-server', (port) => startNats({ storeDir, program, log: say, port }), say);
}
