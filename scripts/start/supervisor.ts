// One process per service, kept alive until it is told to stop.
//
//   idle      nothing runs                              start() -> running
//   running   the process lives                         it ends -> waiting;  stop() -> stopping
//   waiting   it ended unasked; a timer runs            timer   -> running;  stop() -> stopped
//   stopping  SIGTERM is sent, the process drains       it ends -> stopped (SIGKILL at the deadline makes it)
//   stopped   nothing runs and nothing will
//
// Each start draws a new health port: the old one may have been taken by somebody else while the service was down.
// Processes stand in groups of their own, so that Ctrl-C in the terminal reaches them through stop() alone, in its
// order; an IPC channel tells them when we are gone without having said so.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { freePort } from '../servers/free-port.ts';
import { restartDelayMs, steadyAfterMs } from './backoff.ts';
import { keepOutput } from './service-output.ts';

export type ServiceSpec = {
  name: string;
  file: string;
  environment: Record<string, string>;
  logFile: string;
};

type State = 'idle' | 'running' | 'waiting' | 'stopping' | 'stopped';

export class SupervisedService {
  readonly spec: ServiceSpec;
  /** How often it ended unasked, without a steady time between. */
  failures = 0;
  healthPort: number | undefined;
  #say: (line: string) => void;
  #state: State = 'idle';
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #reportEnded: () => void = () => {};
  /** Comes true in the state `stopped`. */
  readonly ended = new Promise<void>((resolve) => {
    this.#reportEnded = resolve;
  });

  constructor(spec: ServiceSpec, say: (line: string) => void) {
    this.spec = spec;
    this.#say = say;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const healthPort = await freePort();
    // stop() may have come while the port was looked for.
    if (this.#state !== 'idle' && this.#state !== 'waiting') return;
    this.#state = 'running';
    this.healthPort = healthPort;
    this.#startedAt = Date.now();
    const child = spawn(process.execPath, [this.spec.file], {
      env: { ...this.spec.environment, HEALTH_PORT: String(healthPort) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    this.#child = child;
    keepOutput(this.spec.name, this.spec.logFile, [child.stdout!, child.stderr!], this.#say);
    child.once('error', (error) => this.#hasEnded(error.message));
    child.once('exit', (code, signal) => this.#hasEnded(signal ?? `exit code ${code}`));
  }

  #hasEnded(how: string): void {
    this.#child = undefined;
    if (this.#state === 'stopping') this.#becomeStopped();
    if (this.#state !== 'running') return;
    this.#state = 'waiting';
    this.failures = Date.now() - this.#startedAt >= steadyAfterMs ? 1 : this.failures + 1;
    const delayMs = restartDelayMs(this.failures);
    this.#say(
      `${this.spec.name} ended (${how}); starting it again in ${delayMs / 1000} s, its log is ${this.spec.logFile}`,
    );
    this.#timer = setTimeout(() => this.#startAgain(), delayMs);
  }

  #startAgain(): void {
    this.start().catch((error: Error) => {
      // No port or no process to be had: the machine is short of something, which may pass.
      this.#say(`${this.spec.name} cannot be started: ${error.message}`);
      this.#timer = setTimeout(() => this.#startAgain(), restartDelayMs(10));
    });
  }

  #becomeStopped(): void {
    this.#state = 'stopped';
    this.#reportEnded();
  }

  /** Asks it to drain and end; `ended` tells when it has. */
  stop(): void {
    clearTimeout(this.#timer);
    if (this.#state === 'stopping' || this.#state === 'stopped') return;
    if (this.#child) {
      this.#state = 'stopping';
      this.#child.kill('SIGTERM');
    } else {
      this.#becomeStopped();
    }
  }

  /** Ends it at once. */
  kill(): void {
    this.stop();
    this.#child?.kill('SIGKILL');
  }
}

// The gateway goes first, so that no request is taken that nobody would answer; 2 s finish what it has in flight in
// all but the slowest cases. A service drains for 9.5 s at most. Together that leaves the servers 3 of the 15 s within
// which `npm start` promises to end.
const gatewayFirstMs = 2_000;
const stopLimitMs = 11_500;

function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** Stops the services: `first` one (the gateway), then the others, and by force whoever is left at the deadline. */
export async function stopServices(services: SupervisedService[], first: string, limitMs = stopLimitMs): Promise<void> {
  const until = Date.now() + limitMs;
  const gateway = services.find((service) => service.spec.name === first);
  gateway?.stop();
  if (gateway) await within(Math.min(gatewayFirstMs, limitMs), gateway.ended);
  for (const service of services) service.stop();
  const all = Promise.all(services.map((service) => service.ended));
  if (await within(until - Date.now(), all)) return;
  for (const service of services) service.kill();
  // Nothing survives SIGKILL but a process that waits for a broken disk.
  await within(500, all);
}
