import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { guard } from '../../../scripts/servers/guard.ts';
import { startNats } from '../../../scripts/servers/nats.ts';
import { startPostgres } from '../../../scripts/servers/postgres.ts';
import type { TestServers } from './running.ts';

/** Starts Postgres and NATS as child processes in a temporary folder. All end with this process, also if killed. */
export async function startEmbeddedServers(): Promise<TestServers> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-test-'));
  // For root, Postgres runs as another user, who needs access to its data in this folder.
  chmodSync(folder, 0o711);
  // The servers' own guards empty the folder. They wait at most 10 s for their servers.
  const watch = guard('for try in $(seq 100); do rmdir "$1" && exit; sleep 0.1; done', folder);
  const servers = await Promise.allSettled([
    startPostgres({ dataDir: path.join(folder, 'postgres'), durable: false, temporary: true }),
    startNats({ storeDir: path.join(folder, 'nats'), syncAlways: false, temporary: true, isOpen: true }),
  ]);
  const stop = async () => {
    await Promise.all(servers.map((server) => (server.status === 'fulfilled' ? server.value.stop() : undefined)));
    rmSync(folder, { recursive: true, force: true });
    watch.release();
  };
  const [postgres, nats] = servers;
  if (postgres.status === 'fulfilled' && nats.status === 'fulfilled') {
    return { postgresUrl: postgres.value.url, natsUrl: nats.value.url, kind: 'embedded', stop };
  }
  await stop();
  throw postgres.status === 'rejected' ? postgres.reason : (nats as PromiseRejectedResult).reason;
}
