// A replica of a service in its own process, which is started again whenever it dies.
//
//   running  --dies--> down --after a pause--> running
//   running  --SIGSTOP--> paused --SIGCONT--> running
//   running  --replaceBy(), by SIGTERM--> stopped --> running, on the code of another checkout
//   any      --stop(), by SIGKILL--> stopped --start()--> running
//
// A crash point can be armed in every state; a replica that is down gets it at its start. The point is reached when the
// process dies by a SIGKILL that this class has not sent.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { ServiceName } from '@yardarm/shared/contracts';
import { freePort } from '../../scripts/servers/free-port.ts';

/** The pause before a restart, short enough for many deaths in a run. */
const pauseMs = 300;

/** A process answers within tenths of a second, also after a full collection. */
const answerLimitMs = 3_000;

/** The repository that has this file. */
export const thisCheckout = path.resolve(import.meta.dirname, '../..');

export interface ReplicaOptions {
  service: ServiceName;
  number: number;
  environment: Record<string, string>;
  folder: string;
  /** The repository whose code runs, by default this one. */
  checkout?: string | undefined;
}

export class Replica {
  readonly service: ServiceName;
  readonly name: string;
  deaths = 0;
  /** The epochs of the leases that it has acquired, from its log, by the lease's name. */
  readonly epochs = new Map<string, number>();
  /** The folder of a gateway's copy for SDKs. */
  readonly dataFolder: string;
  readonly #options: ReplicaOptions;
  readonly #logFile: string;
  #checkout: string;
  #child: ChildProcess | undefined;
  /** The port of a gateway, which it keeps across starts. */
  port = 0;
  #healthPort = 0;
  #isListening = false;
  #timer: NodeJS.Timeout | undefined;
  #armed: { point: string; onReached(): void } | null = null;
  #isKilled = false;
  #isStopped = false;

  constructor(options: ReplicaOptions) {
    this.service = options.service;
    this.name = `${options.service} ${options.number}`;
    this.#options = options;
    this.dataFolder = path.join(options.folder, `${options.service}-${options.number}`);
    this.#logFile = `${this.dataFolder}.log`;
    this.#checkout = options.checkout ?? thisCheckout;
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#run();
  }

  async #run(): Promise<void> {
    this.#healthPort = await freePort();
    const isGateway = this.service === 'gateway';
    if (isGateway && this.port === 0) this.port = await freePort();
    if (this.#isStopped) return;
    this.#isKilled = false;
    this.#isListening = !isGateway;
    const main = path.join(this.#checkout, 'services', this.service, 'main.ts');
    const failpoints = path.join(this.#checkout, 'e2e/faults/testing/failpoints.ts');
    const keptMemory = path.join(thisCheckout, 'e2e/faults/testing/kept-memory.ts');
    const log = openSync(this.#logFile, 'a');
    const child = spawn(process.execPath, ['--import', failpoints, '--import', keptMemory, main], {
      env: {
        ...this.#options.environment,
        ...(isGateway && { PORT: String(this.port), YARDARM_DATA_DIR: this.dataFolder }),
        ...{ HEALTH_PORT: String(this.#healthPort), HEALTH_HOST: '127.0.0.1' },
      },
      stdio: ['ignore', 'pipe', log, 'ipc'],
    });
    closeSync(log);
    this.#child = child;
    createInterface({ input: child.stdout! }).on('line', (line) => this.#onLine(line));
    if (this.#armed) child.send(this.#armed.point);
    child.once('exit', (_code, signal) => this.#onExit(signal));
  }

  async isReady(): Promise<boolean> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.#healthPort}/ready`, {
        signal: AbortSignal.timeout(answerLimitMs),
      });
      await answer.arrayBuffer();
      return this.#isListening && answer.status === 200;
    } catch {
      // The replica is down or starting.
      return false;
    }
  }

  /** The process; undefined while the replica is down. */
  get pid(): number | undefined {
    return this.#child?.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined;
  }

  /**
   * The memory of the process after a full collection, without the part of the heap that is free. Null while the
   * process is down or does not answer.
   */
  async keptBytes(): Promise<number | null> {
    const child = this.#child;
    if (!child?.connected) return null;
    const answer = once(child, 'message', { signal: AbortSignal.timeout(answerLimitMs) });
    child.send({ ask: 'memory' }, () => {});
    try {
      const [{ keptBytes }] = await answer;
      return keptBytes;
    } catch {
      return null;
    }
  }

  /** The wall clock of the process, from the header of its health server. Throws while it does not answer. */
  async readClock(): Promise<Date> {
    const answer = await fetch(`http://127.0.0.1:${this.#healthPort}/livez`, {
      signal: AbortSignal.timeout(answerLimitMs),
    });
    await answer.arrayBuffer();
    return new Date(answer.headers.get('date')!);
  }

  /** Kills the process by SIGKILL. It is started again. */
  kill(): void {
    this.#isKilled = true;
    this.#child?.kill('SIGKILL');
  }

  /**
   * Stops the process by SIGTERM, as a deployment does, and starts the one of another checkout. Throws unless the
   * process has finished its work.
   */
  async replaceBy(checkout: string): Promise<void> {
    this.#isStopped = true;
    const child = this.#child!;
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${this.name} ended with ${code}`);
    this.#checkout = checkout;
    await this.start();
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  arm(point: string, onReached: () => void): void {
    this.#armed = { point, onReached };
    this.#sendPoint(point);
  }

  disarm(): void {
    this.#armed = null;
    // An empty name arms no point.
    this.#sendPoint('');
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

  #sendPoint(point: string): void {
    // A process that is dying gets no message; its successor gets the point at its start.
    if (this.#child?.connected) this.#child.send(point, () => {});
  }

  #onLine(line: string): void {
    appendFileSync(this.#logFile, `${line}\n`);
    if (!/"msg":"(holds the lease|listening)"/.test(line)) return;
    const entry = JSON.parse(line) as { msg: string; lease: string; epoch: number };
    if (entry.msg === 'holds the lease') this.epochs.set(entry.lease, entry.epoch);
    else this.#isListening = true;
  }

  #onExit(signal: NodeJS.Signals | null): void {
    if (this.#isStopped) return;
    this.deaths += 1;
    this.epochs.clear();
    if (signal === 'SIGKILL' && !this.#isKilled) this.#armed?.onReached();
    this.#timer = setTimeout(() => void this.#run(), pauseMs);
  }
}
