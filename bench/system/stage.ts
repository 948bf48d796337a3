// One product runs at a time. Its data folder is filled at the first use and kept for later rows.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Guard, guard } from '../../scripts/servers/guard.ts';
import { type Peer, startPeer } from '../baselines/peer/peer.ts';
import { makeFlags } from './flags.ts';
import { fillLargeInstallation, hugeInstallationOf, hugeSettings, largeInstallationOf } from './large-installation.ts';
import { fillLog } from './log.ts';
import { fillOutcomes } from './outcomes.ts';
import { liftedLimit } from './signals.ts';
import { startYardarm, type Yardarm } from './yardarm.ts';

/**
 * 1,000 flags with a strategy and a constraint; the same with variants and segments too; the latter beside a million
 * events in the log, or a million outcomes of one integration, or with a lifted limit of signals; 100 or 10,000 flags
 * in three environments; small flags in 500 projects and five environments; a log that a curve fills.
 */
export type Dataset =
  | 'plain'
  | 'flags'
  | 'events'
  | 'growing'
  | 'outcomes'
  | 'signals'
  | 'small'
  | 'large'
  | SmallFlags;

/** So many small flags. */
export type SmallFlags = `small-flags-${number}`;

function settingsOf(dataset: Dataset): Record<string, string> {
  if (dataset === 'signals') return { SIGNAL_ENDPOINT_RATE_LIMIT_PER_SECOND: String(liftedLimit) };
  return smallFlagsOf(dataset) === null ? {} : hugeSettings;
}

function smallFlagsOf(dataset: Dataset): number | null {
  const count = /^small-flags-(\d+)$/.exec(dataset)?.[1];
  return count === undefined ? null : Number(count);
}

/** The size of the log and of the list of outcomes in the protocol. */
const million = 1_000_000;
/** The number of flags of a small and a large installation. A trial has as many in both. */
export const smallInstallation = 100;
export const largeInstallation = 10_000;
export const hugeInstallation = 100_000;

export interface StageOptions {
  amount(protocol: number): number;
  say(line: string): void;
  profiles: string | undefined;
  /** Whether Postgres and nats-server count what they do. */
  isCounting: boolean;
}

type Product = { stop(): Promise<void> };

/** Runs one product at a time on the data that a row needs. */
export class Stage {
  readonly #options: StageOptions;
  readonly #folder: string;
  /** Removes the folder ten seconds after the bench was killed, since stopping servers still write to it. */
  readonly #watch: Guard;
  readonly #prepared = new Set<string>();
  #running: { name: string; product: Product } | undefined;

  constructor(options: StageOptions) {
    this.#options = options;
    this.#folder = mkdtempSync(path.join(tmpdir(), 'yardarm-bench-'));
    // For root, Postgres runs as another user, who needs access to its data in this folder.
    chmodSync(this.#folder, 0o711);
    this.#watch = guard('sleep 10; rm -rf "$1"', this.#folder);
  }

  /** A path in the bench's temporary folder, which is removed at the end. */
  folder(name: string): string {
    return path.join(this.#folder, name);
  }

  /** Runs Yardarm with that data, after stopping any other product. */
  yardarm(dataset: Dataset): Promise<Yardarm> {
    const { profiles, isCounting } = this.#options;
    return this.#run(
      dataset,
      () => startYardarm(this.folder(dataset), { profiles, isCounting, settings: settingsOf(dataset) }),
      (yardarm) => this.#fill(yardarm, dataset),
    );
  }

  /** Runs unleash-server with 1,000 flags, after stopping any other product. */
  peer(): Promise<Peer> {
    return this.#run(
      'peer',
      () => startPeer(this.folder('peer'), this.#options),
      (peer) => makeFlags(peer.api, { isPlain: false }),
    );
  }

  async #run<P extends Product>(
    name: string,
    start: () => Promise<P>,
    fill: (product: P) => Promise<void>,
  ): Promise<P> {
    if (this.#running?.name === name) return this.#running.product as P;
    await this.stopRunning();
    const product = await start();
    this.#running = { name, product };
    if (!this.#prepared.has(name)) await fill(product);
    this.#prepared.add(name);
    return product;
  }

  async #fill(yardarm: Yardarm, dataset: Dataset): Promise<void> {
    const { say, amount } = this.#options;
    if (dataset === 'small') return fillLargeInstallation(yardarm, largeInstallationOf(smallInstallation));
    if (dataset === 'large') return fillLargeInstallation(yardarm, largeInstallationOf(amount(largeInstallation)));
    const smallFlags = smallFlagsOf(dataset);
    if (smallFlags !== null) return fillLargeInstallation(yardarm, hugeInstallationOf(smallFlags));
    await makeFlags(yardarm.api, { isPlain: dataset === 'plain' });
    const count = amount(million);
    if (dataset === 'events' || dataset === 'outcomes') say(`  making ${count} ${dataset} ...`);
    if (dataset === 'events') await fillLog(yardarm, count);
    if (dataset === 'outcomes') await fillOutcomes(yardarm, count);
  }

  async stopRunning(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.product.stop();
  }

  async close(): Promise<void> {
    await this.stopRunning();
    rmSync(this.#folder, { recursive: true, force: true });
    this.#watch.release();
  }
}
