import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { natsServersOf } from '@yardarm/shared/config';
import { type ServiceName, serviceNames } from '@yardarm/shared/contracts';
import { startNats } from '../servers/nats.ts';
import { findNatsProblem } from '../servers/nats-address.ts';
import { findNats } from '../servers/nats-binary.js';
import { startPostgres } from '../servers/postgres.ts';
import { findPostgresProblem, makeDatabase, redactPassword } from '../servers/postgres-address.ts';
import { restartDelayMs } from './backoff.ts';
import type { Options } from './options.ts';
import { natsUrlName } from './options.ts';

/** A server that the launcher uses. stop() does nothing to a server that the launcher did not start. */
export type Server = { url: string; stop(): Promise<void> };

/** `serviceUrls` has the address with which each service connects. */
export type NatsServer = Server & { serviceUrls: Record<ServiceName, string> };

type Running = { url: string; port: number; ended: Promise<void>; stop(): Promise<void> };

/** Restarts a server that ends without stop(), on the same port, because the services have its address. */
async function keepRunning<R extends Running>(
  name: string,
  start: (port?: number) => Promise<R>,
  say: (line: string) => void,
): Promise<R> {
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
    ...first,
    async stop() {
      stopping.abort();
      await current.stop();
      await watching;
      // A restart during the first stop() has started another server.
      await current.stop();
    },
  };
}

/** The Postgres of DATABASE_URL, or our own with a database `yardarm`. `url` is the login of the owner. */
export async function startOrUsePostgres(
  options: Options,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<Server> {
  if (options.DATABASE_URL) {
    const problem = await findPostgresProblem(options.DATABASE_URL);
    if (problem)
      throw new Error(`Postgres at DATABASE_URL (${redactPassword(options.DATABASE_URL)}) cannot be used: ${problem}`);
    return { url: options.DATABASE_URL, async stop() {} };
  }
  const dataDir = path.join(options.dataDir, 'postgres');
  const server = await keepRunning(
    'Postgres',
    (port) => startPostgres({ dataDir, durable: true, log: say, port, signal }),
    say,
  );
  try {
    return { ...server, url: await makeDatabase(server.url, 'yardarm') };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The NATS of NATS_URL, whose users are the operator's, or our own with a user for each service. */
export async function startOrUseNats(
  options: Options,
  prefix: string,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<NatsServer> {
  if (options.NATS_URL) {
    const servers = natsServersOf(options.NATS_URL)!.map(({ href }) => href);
    const problems = await Promise.all(servers.map(findNatsProblem));
    // One of a cluster's servers is enough.
    if (problems.every((problem) => problem !== undefined)) {
      const addresses = servers.map(redactPassword).join(', ');
      throw new Error(`NATS at NATS_URL (${addresses}) cannot be used: ${problems[0]}`);
    }
    const url = options.NATS_URL;
    const serviceUrls = Object.fromEntries(
      serviceNames.map((name) => [name, options[natsUrlName(name)] ?? url]),
    ) as NatsServer['serviceUrls'];
    return { url, serviceUrls, async stop() {} };
  }
  const program = await findNats(say, options.dataDir);
  const storeDir = path.join(options.dataDir, 'nats');
  return keepRunning('nats-server', (port) => startNats({ storeDir, program, prefix, log: say, port, signal }), say);
}
