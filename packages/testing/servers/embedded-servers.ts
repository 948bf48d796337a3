import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { guard } from '../../../scripts/servers/guard.ts';
import { startNats } from '../../../scripts/servers/nats.ts';
import { startPostgres } from '../../../scripts/servers/postgres.ts';
import type { TestServers } from './running.ts';

/** Postgres and NATS as processes of ours in a temporary folder, which goes with them, also when we are killed. */
export async function startEmbeddedServers(): Promise<TestServers> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-test-'));
  // As root Postgres runs as another user, who has to walk through here.
  chmodSync(folder, 0o711);
  // The servers' own guards empty it, within the 10 s that they wait for their servers at most.
  const watch = guard('for try in $(seq 100); do rmdir "$1" && exit; sleep 0.1; done', folder);
  const servers = await Promise.allSettled([
    startPostgres({ dataDir: path.join(folder, 'postgres'), durable: false, temporary: true }),
    startNats({ storeDir: path.join(folder, 'nats'), syncAlways: false, temporary: true }),
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
