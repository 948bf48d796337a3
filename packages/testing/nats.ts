import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { type RunningNats, startNats } from '../../scripts/servers/nats.ts';
import { natsImage } from '../../scripts/servers/nats-binary.js';

/**
 * Starts a NATS of one test with a user for each service, of the kind of the run's servers. The user of `url` may do
 * everything. stop() removes its files, also when this process is killed.
 */
export async function startNatsWithUsers(prefix: string): Promise<RunningNats> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-users-'));
  const nats = await startNats({
    ...{ storeDir: path.join(folder, 'nats'), temporary: true, syncAlways: false },
    ...{ prefix, isOpen: true },
    ...(inject('serversKind') === 'docker' && { program: { kind: 'docker', image: natsImage } as const }),
  });
  return {
    ...nats,
    async stop() {
      await nats.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
