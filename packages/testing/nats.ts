import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { freePort } from '../../scripts/servers/free-port.ts';
import { type NatsOptions, type RunningNats, startNats } from '../../scripts/servers/nats.ts';
import { natsImage } from '../../scripts/servers/nats-binary.js';

type TestNatsOptions = Pick<NatsOptions, 'jetstream' | 'tls'>;

/** A nats-server of one test, which the test may kill and wipe. */
export interface TestNats {
  /** The URL of a user that may do everything. */
  url: string;
  /** With the options of the first start unless others are given. */
  start(options?: TestNatsOptions): Promise<void>;
  /** Ends the server by SIGKILL. Its files stay. */
  kill(): Promise<void>;
  /** Removes the stored data; the server must not run. */
  wipe(): void;
  remove(): Promise<void>;
}

/** Starts a NATS of one test on one port, of the kind of the run's servers. remove() deletes its files. */
export async function startTestNats(options: TestNatsOptions = {}): Promise<TestNats> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-nats-'));
  const storeDir = path.join(folder, 'nats');
  const port = await freePort();
  const start = (chosen = options) => startNats({ ...ofTest(storeDir), port, isOpen: true, ...chosen });
  let running: RunningNats | null = await start();
  const nats: TestNats = {
    url: running.url,
    async start(chosen) {
      running = await start(chosen);
    },
    async kill() {
      await running?.crash();
      running = null;
    },
    wipe: () => rmSync(path.join(storeDir, 'jetstream'), { recursive: true, force: true }),
    async remove() {
      await nats.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return nats;
}

/**
 * Starts a NATS of one test with a user for each service, of the kind of the run's servers. The user of `url` may do
 * everything. stop() removes its files, also when this process is killed.
 */
export async function startNatsWithUsers(prefix: string): Promise<RunningNats> {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-users-'));
  const nats = await startNats({
    ...ofTest(path.join(folder, 'nats')),
    ...{ temporary: true, prefix, isOpen: true },
  });
  return {
    ...nats,
    async stop() {
      await nats.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ofTest(storeDir: string): NatsOptions {
  const program = inject('serversKind') === 'docker' ? ({ kind: 'docker', image: natsImage } as const) : undefined;
  return { storeDir, syncAlways: false, ...(program && { program }) };
}
