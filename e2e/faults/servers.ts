import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ServiceName } from '@yardarm/shared/contracts';
import { guard } from '../../scripts/servers/guard.ts';
import { startNats } from '../../scripts/servers/nats.ts';
import { type PostgresOptions, startPostgres } from '../../scripts/servers/postgres.ts';

/** What a system of processes needs. */
export interface YardarmServers {
  /** With the login of the superuser. */
  postgresUrl: string;
  natsUrlOf(service: ServiceName): string;
  /** The URL of a login with the hosts of a cluster. */
  withHosts?(databaseUrl: string): string;
  /** A folder for the logs of a run, which stop() removes. */
  folder: string;
  stop(): Promise<void>;
}

/** A Postgres and a NATS of one test, which keep their ports across crashes. */
export interface CrashingServers extends YardarmServers {
  /** With a user that may do everything. */
  natsUrl: string;
  /** The folders in which the servers keep their data. */
  dataFolders: { postgres: string; nats: string };
  /** Stops Postgres with `-m immediate` and starts it again. */
  crashPostgres(): Promise<void>;
  killNats(): Promise<void>;
  /** Starts NATS after `killNats`, on its storage. */
  startNats(): Promise<void>;
  /** Kills NATS and starts it again after `downMs`, with or without its storage. */
  crashNats(downMs: number, storage: 'kept' | 'wiped'): Promise<void>;
}

/** What differs from two servers that keep their data in the folder of the test. */
export interface ServerChanges {
  /** Makes what they need there before they start, and returns where they keep their data. */
  prepare?(folder: string): { postgres: string; nats: string };
  postgres?: Pick<PostgresOptions, 'settings' | 'environment'>;
}

/** Starts both in a temporary folder. Servers and folder are removed also when this process is killed. */
export async function startCrashingServers(changes: ServerChanges = {}): Promise<CrashingServers> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-faults-'));
  // For root, Postgres runs as another user, who needs access to its data in this folder.
  chmodSync(folder, 0o711);
  // The servers' own guards need at most 10 s to remove their folders.
  const watch = guard('sleep 10; rm -rf "$1"', folder);
  // Durable, unlike in other tests: these tests rely on commits that survive a crash of Postgres.
  const places = { postgres: path.join(folder, 'postgres'), nats: path.join(folder, 'nats') };
  const dataFolders = changes.prepare?.(folder) ?? places;
  const postgresOptions = { dataDir: dataFolders.postgres, durable: true, temporary: true, ...changes.postgres };
  const storeDir = dataFolders.nats;
  const natsOptions = { storeDir, temporary: true, isOpen: true };
  let [postgres, nats] = await Promise.all([startPostgres(postgresOptions), startNats(natsOptions)]);
  const killNats = () => nats.crash();
  async function startNatsAgain(): Promise<void> {
    nats = await startNats({ ...natsOptions, port: nats.port });
  }
  return {
    postgresUrl: postgres.url,
    natsUrl: nats.url,
    natsUrlOf: (service) => nats.serviceUrls[service],
    folder,
    dataFolders,
    async crashPostgres() {
      await postgres.crash();
      postgres = await startPostgres({ ...postgresOptions, port: postgres.port });
    },
    killNats,
    startNats: startNatsAgain,
    async crashNats(downMs, storage) {
      await killNats();
      if (storage === 'wiped') rmSync(path.join(storeDir, 'jetstream'), { recursive: true, force: true });
      await new Promise((resolve) => setTimeout(resolve, downMs));
      await startNatsAgain();
    },
    async stop() {
      await Promise.all([postgres.stop(), nats.stop()]);
      rmSync(folder, { recursive: true, force: true });
      watch.release();
    },
  };
}
