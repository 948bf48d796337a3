// A replica of a service as a process of its own, started again whenever it dies.
//
//   running  --dies, by whatever--> down --after a pause--> running
//   running  --SIGSTOP--> paused --SIGCONT--> running
//   any      --stop(), by SIGKILL--> stopped --start()--> running
//
// A crash point may be armed in every state: a replica that is down is told when it is up. It is reached when the process dies by
// SIGKILL that nobody here has sent.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { ServiceName } from '@yardarm/shared/contracts';
import { freePort } from '../../scripts/servers/free-port.ts';

/** A supervisor's pause, short enough that a run sees many deaths. */
const pauseMs = 300;

const root = path.resolve(import.meta.dirname, '../..');

export interface ReplicaOptions {
  service: ServiceName;
  /** Tells the replicas of one service apart. */
  number: number;
  environment: Record<string, string>;
  /** Where its log goes. */
  folder: string;
}

export class Replica {
  readonly service: ServiceName;
  readonly name: string;
  /** How often it has died. */
  deaths = 0;
  /** The epochs under which it said that it holds a lease, by the lease's name. */
  readonly epochs = new Map<string, number>();
  readonly #options: ReplicaOptions;
  readonly #logFile: string;
  #child: ChildProcess | undefined;
  /** Of a gateway: where it listens, or did until it died. Each start takes a port that is free then. */
  port = 0;
  #healthPort = 0;
  #isListening = false;
  #timer: NodeJS.Timeout | undefined;
  #armed: { point: string; tell(): void } | null = null;
  #isKilled = false;
  #isStopped = false;

  constructor(options: ReplicaOptions) {
    this.service = options.service;
    this.name = `${options.service} ${options.number}`;
    this.#options = options;
    this.#logFile = path.join(options.folder, `${options.service}-${options.number}.log`);
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#run();
  }

  async #run(): Promise<void> {
    this.#healthPort = await freePort();
    if (this.#isStopped) return;
    this.#isKilled = false;
    this.#isListening = this.service !== 'gateway';
    const main = path.join(root, 'services', this.service, 'main.ts');
    const failpoints = path.join(import.meta.dirname, 'testing/failpoints.ts');
    const log = openSync(this.#logFile, 'a');
    const child = spawn(process.execPath, ['--import', failpoints, main], {
      env: { ...this.#options.environment, HEALTH_PORT: String(this.#healthPort), HEALTH_HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', log, 'ipc'],
    });
    closeSync(log);
    this.#child = child;
    createInterface({ input: child.stdout! }).on('line', (line) => this.#hear(line));
    if (this.#armed) child.send(this.#armed.point);
    child.once('exit', (_code, signal) => this.#hasDied(signal));
  }

  /** Whether it answers that it is ready. */
  async isReady(): Promise<boolean> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.#healthPort}/ready`, { signal: AbortSignal.timeout(3_000) });
      await answer.arrayBuffer();
      return this.#isListening && answer.status === 200;
    } catch {
      // It is down, or not up yet.
      return false;
    }
  }

  /** Ends it by SIGKILL; it comes again. */
  kill(): void {
    this.#isKilled = true;
    this.#child?.kill('SIGKILL');
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
  }

  /** `reached` is called when it dies at that crash point. */
  arm(point: string, reached: () => void): void {
    this.#armed = { point, tell: reached };
    this.#tell(point);
  }

  /** No name is no point. */
  disarm(): void {
    this.#armed = null;
    this.#tell('');
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }

  #tell(point: string): void {
    // One that is dying cannot be told; whoever comes after it is, at its start.
    if (this.#child?.connected) this.#child.send(point, () => {});
  }

  #hear(line: string): void {
    appendFileSync(this.#logFile, `${line}\n`);
    if (!/"msg":"(holds the lease|listening)"/.test(line)) return;
    const said = JSON.parse(line) as { msg: string; lease: string; epoch: number; port: number };
    if (said.msg === 'holds the lease') this.epochs.set(said.lease, said.epoch);
    else {
      this.port = said.port;
      this.#isListening = true;
    }
  }

  #hasDied(signal: NodeJS.Signals | null): void {
    if (this.#isStopped) return;
    this.deaths += 1;
    this.epochs.clear();
    if (signal === 'SIGKILL' && !this.#isKilled) this.#armed?.tell();
    this.#timer = setTimeout(() => void this.#run(), pauseMs);
  }
}
