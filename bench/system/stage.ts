// One product runs at a time, on a data folder that is prepared when a row first asks for it and kept for the rows after it.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Guard, guard } from '../../scripts/servers/guard.ts';
import { type Peer, startPeer } from '../baselines/peer/peer.ts';
import { makeFlags } from './flags.ts';
import { fillLog } from './log.ts';
import { fillOutcomes } from './outcomes.ts';
import { startYardarm, type Yardarm } from './yardarm.ts';

/** What data a system has: 1,000 flags; also a million events in the log; also a million outcomes of one integration. */
export type Dataset = 'flags' | 'events' | 'outcomes';

/** The size of the log and of the list of outcomes that the protocol names. */
const million = 1_000_000;

export interface StageOptions {
  amount(protocol: number): number;
  say(line: string): void;
  profiles: string | undefined;
}

type Product = { stop(): Promise<void> };

export class Stage {
  readonly #options: StageOptions;
  readonly #folder: string;
  /** Removes the folder when the bench was killed, ten seconds later: servers that stop meanwhile write in it. */
  readonly #watch: Guard;
  readonly #prepared = new Set<string>();
  #running: { name: string; product: Product } | undefined;

  constructor(options: StageOptions) {
    this.#options = options;
    this.#folder = mkdtempSync(path.join(tmpdir(), 'yardarm-bench-'));
    // Postgres runs as another user where we are root, and has its data in here.
    chmodSync(this.#folder, 0o711);
    this.#watch = guard('sleep 10; rm -rf "$1"', this.#folder);
  }

  /** A folder of the bench's own, removed at its end. */
  folder(name: string): string {
    return path.join(this.#folder, name);
  }

  /** Yardarm with that data; whatever else ran is stopped. */
  yardarm(dataset: Dataset): Promise<Yardarm> {
    const { profiles } = this.#options;
    return this.#take(
      dataset,
      () => startYardarm(this.folder(dataset), profiles),
      (yardarm) => this.#fill(yardarm, dataset),
    );
  }

  /** unleash-server with 1,000 flags; whatever else ran is stopped. */
  peer(): Promise<Peer> {
    return this.#take(
      'peer',
      () => startPeer(this.folder('peer'), this.#options.say),
      (peer) => makeFlags(peer.api),
    );
  }

  async #take<P extends Product>(
    name: string,
    start: () => Promise<P>,
    fill: (product: P) => Promise<void>,
  ): Promise<P> {
    if (this.#running?.name === name) return this.#running.product as P;
    await this.vacate();
    const product = await start();
    this.#running = { name, product };
    if (!this.#prepared.has(name)) await fill(product);
    this.#prepared.add(name);
    return product;
  }

  async #fill(yardarm: Yardarm, dataset: Dataset): Promise<void> {
    const { say, amount } = this.#options;
    await makeFlags(yardarm.api);
    const count = amount(million);
    if (dataset !== 'flags') say(`  making ${count} ${dataset} ...`);
    if (dataset === 'events') await fillLog(yardarm, count);
    if (dataset === 'outcomes') await fillOutcomes(yardarm, count);
  }

  /** Stops what runs. */
  async vacate(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.product.stop();
  }

  /** Stops what runs and removes every data folder. */
  async close(): Promise<void> {
    await this.vacate();
    rmSync(this.#folder, { recursive: true, force: true });
    this.#watch.release();
  }
}
