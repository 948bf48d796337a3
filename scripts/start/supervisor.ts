// One process per service, restarted until stop().
//
//   idle      nothing runs                              start() -> running
//   running   the process lives                         it ends -> waiting;  stop() -> stopping
//   waiting   it ended without stop(); a timer runs     timer   -> running;  stop() -> stopped
//   refused   it ended because a setting is wrong       stop()  -> stopped; another start would fail as well
//   stopping  SIGTERM is sent, the process drains       it ends -> stopped (by SIGKILL at the deadline)
//   stopped   nothing runs, and start() does nothing
//
// Each start chooses a new health port unless one is given, because another process may use the old one. Each process
// has its own group, so that Ctrl-C in the terminal reaches it only through stop(), in the order of stopServices. A
// process stops when its IPC channel closes, because the launcher has ended then.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { freePort } from '../servers/free-port.ts';
import { tailOf } from '../servers/log-file.ts';
import { restartDelayMs, steadyAfterMs } from './backoff.ts';
import { logOutput, reasonOf } from './service-output.ts';

export type ServiceSpec = {
  name: string;
  file: string;
  environment: Record<string, string>;
  logFile: string;
  healthPort?: number | undefined;
};

type State = 'idle' | 'running' | 'waiting' | 'refused' | 'stopping' | 'stopped';

/** The exit code of a service with a wrong setting (packages/shared/service/run-service.ts). */
const misconfiguredCode = 2;

export class SupervisedService {
  readonly spec: ServiceSpec;
  /** The failures in a row. `steadyAfterMs` says when the row ends. */
  failures = 0;
  healthPort: number | undefined;
  #say: (line: string) => void;
  #onHealthPort: () => void;
  #onRefused: (reason: string) => void;
  #state: State = 'idle';
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #reportEnded: () => void = () => {};
  readonly ended = new Promise<void>((resolve) => {
    this.#reportEnded = resolve;
  });

  /**
   * `onHealthPort` is called at each start, when `healthPort` has the port of the new process. `onRefused` gets the
   * reason, as the service gave it, when another start cannot help.
   */
  constructor(
    spec: ServiceSpec,
    say: (line: string) => void,
    { onHealthPort = () => {}, onRefused = say }: { onHealthPort?(): void; onRefused?(reason: string): void } = {},
  ) {
    this.spec = spec;
    this.#say = say;
    this.#onHealthPort = onHealthPort;
    this.#onRefused = onRefused;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const healthPort = this.spec.healthPort ?? (await freePort(this.spec.environment.HEALTH_HOST));
    // stop() may have been called meanwhile.
    if (this.#state !== 'idle' && this.#state !== 'waiting') return;
    this.#state = 'running';
    this.healthPort = healthPort;
    this.#onHealthPort();
    this.#startedAt = Date.now();
    const child = spawn(process.execPath, [this.spec.file], {
      env: { ...this.spec.environment, HEALTH_PORT: String(healthPort) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    this.#child = child;
    logOutput(this.spec.name, this.spec.logFile, [child.stdout!, child.stderr!], this.#say);
    child.once('error', (error) => this.#onEnd(error.message));
    child.once('exit', (code, signal) => {
      if (code !== misconfiguredCode) this.#onEnd(signal ?? `exit code ${code}`);
    });
    // Later than 'exit': the log has its last line.
    child.once('close', (code) => {
      if (code === misconfiguredCode) this.#onMisconfigured();
    });
  }

  #onEnd(reason: string): void {
    this.#child = undefined;
    if (this.#state === 'stopping') this.#becomeStopped();
    if (this.#state !== 'running') return;
    this.#state = 'waiting';
    this.failures = Date.now() - this.#startedAt >= steadyAfterMs ? 1 : this.failures + 1;
    const delayMs = restartDelayMs(this.failures);
    this.#say(
      `${this.spec.name} ended (${reason}); starting it again in ${delayMs / 1000} s, its log is ${this.spec.logFile}`,
    );
    this.#timer = setTimeout(() => this.#startAgain(), delayMs);
  }

  #onMisconfigured(): void {
    this.#child = undefined;
    if (this.#state === 'stopping') this.#becomeStopped();
    if (this.#state !== 'running') return;
    this.#state = 'refused';
    const lastLine = tailOf(this.spec.logFile).trim().split('\n').at(-1) ?? '';
    this.#onRefused(reasonOf(lastLine) ?? `${this.spec.name} ended: ${lastLine}`);
  }

  #startAgain(): void {
    this.start().catch((error: Error) => {
      // The machine has no free port or process at present.
      this.#say(`${this.spec.name} cannot be started: ${error.message}`);
      this.#timer = setTimeout(() => this.#startAgain(), restartDelayMs(10));
    });
  }

  #becomeStopped(): void {
    this.#state = 'stopped';
    this.#reportEnded();
  }

  /** Asks the process to drain and end. `ended` resolves when it has. */
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

  kill(): void {
    this.stop();
    this.#child?.kill('SIGKILL');
  }
}

// The gateway stops first, so that it accepts no request that no service would answer. In nearly all cases 2 s are
// enough for its requests in flight. A service drains for 9.5 s at most. That leaves 3 s for the servers, because `npm
// start` promises to end within 15 s.
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

/** Stops the service `first` (the gateway), then the others. Kills the services that are left at the deadline. */
export async function stopServices(services: SupervisedService[], first: string, limitMs = stopLimitMs): Promise<void> {
  const until = Date.now() + limitMs;
  const gateway = services.find((service) => service.spec.name === first);
  gateway?.stop();
  if (gateway) await within(Math.min(gatewayFirstMs, limitMs), gateway.ended);
  for (const service of services) service.stop();
  const all = Promise.all(services.map((service) => service.ended));
  if (await within(until - Date.now(), all)) return;
  for (const service of services) service.kill();
  // Only a process that waits for a broken disk survives SIGKILL.
  await within(500, all);
}
