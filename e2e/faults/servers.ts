import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { guard } from '../../scripts/servers/guard.ts';
import { startNats } from '../../scripts/servers/nats.ts';
import { startPostgres } from '../../scripts/servers/postgres.ts';

/** A Postgres and a NATS of this test alone, on ports that stay theirs over every crash. */
export interface CrashingServers {
  postgresUrl: string;
  natsUrl: string;
  /** Where logs of a run may stand beside the servers' own; gone after stop. */
  folder: string;
  /** `-m immediate`, and up again. */
  crashPostgres(): Promise<void>;
  /** SIGKILL, and up again after `awayMs`, with all that it stored or with nothing. */
  crashNats(awayMs: number, storage: 'kept' | 'wiped'): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both in a temporary folder that goes with them, also when this process is killed. */
export async function startCrashingServers(): Promise<CrashingServers> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-faults-'));
  // As root Postgres runs as another user, who has to walk through here.
  chmodSync(folder, 0o711);
  // The servers' own guards need 10 s at most to take their folders away.
  const watch = guard('sleep 10; rm -rf "$1"', folder);
  // Durable, unlike other tests' Postgres: what a commit means when Postgres crashes is what is tested here.
  const ofPostgres = { dataDir: path.join(folder, 'postgres'), durable: true, temporary: true };
  const storeDir = path.join(folder, 'nats');
  const ofNats = { storeDir, temporary: true };
  let [postgres, nats] = await Promise.all([startPostgres(ofPostgres), startNats(ofNats)]);
  return {
    postgresUrl: postgres.url,
    natsUrl: nats.url,
    folder,
    async crashPostgres() {
      await postgres.crash();
      postgres = await startPostgres({ ...ofPostgres, port: postgres.port });
    },
    async crashNats(awayMs, storage) {
      await nats.crash();
      if (storage === 'wiped') rmSync(path.join(storeDir, 'jetstream'), { recursive: true, force: true });
      await new Promise((resolve) => setTimeout(resolve, awayMs));
      nats = await startNats({ ...ofNats, port: nats.port });
    },
    async stop() {
      await Promise.all([postgres.stop(), nats.stop()]);
      rmSync(folder, { recursive: true, force: true });
      watch.release();
    },
  };
}
