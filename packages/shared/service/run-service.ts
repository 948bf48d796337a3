import { ConfigError, type TracingConfig } from '../config/index.ts';
import { coerceError } from '../errors/index.ts';
import { createLogger, type Logger, type LogLevel } from '../log/index.ts';
import { collectRuntimeMetrics } from '../telemetry/index.ts';
import { startTracing, type Tracing } from '../tracing/index.ts';
import { type Health, type PartHealth, startHealthServer } from './health.ts';

/** A started service. `drain` takes no new work and finishes the work in flight; `stop` then closes the resources. */
export interface RunningService {
  health: Health;
  /** Resolves when no background loop of the service knows of more work. For tests. */
  processAll(): Promise<void>;
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** What a service gets while it starts. */
export interface Starting {
  /** Reports on /ready what the service waits for, by part; null when it waits no longer. */
  onWaiting(parts: Record<string, PartHealth> | null): void;
}

/** The settings that every process has, of `commonSettings`. */
interface ProcessConfig extends TracingConfig {
  LOG_LEVEL: LogLevel;
  HEALTH_HOST: string;
  HEALTH_PORT: number;
}

/** The exit code of a process whose settings are wrong, as of the operator's commands. */
const misconfiguredCode = 2;

/** A service promises to stop within 10 s. Kubernetes kills it after 30 s by default. */
const stopLimitMs = 9_500;

/** How long a stop waits for the collector of traces. One that works takes the last spans within milliseconds. */
const lastSpansMs = 1_000;
/** What a drain that took long leaves for the exit itself. */
const exitMs = 100;

/**
 * Runs a service process: configures, starts, serves health, and on SIGTERM or SIGINT drains, stops and exits with 0.
 *
 *   starting -> running -> draining -> stopped
 *
 * starting: the health server answers, and /ready answers 503, with what the service waits for. running: /ready asks
 * the service.
 * draining: /ready answers 503, and work in flight continues.
 * stopped: the exit code is 0; 1 when draining exceeded the limit, starting failed, or an error was uncaught; 2 when a
 * setting is wrong, so that another start would fail as well. A wrong setting that is found later ends the process at
 * once, without draining: what it would finish may belong to another system.
 * A process with an IPC channel to its parent (`npm start`) also stops when the parent exits.
 */
export async function runService<Config extends ProcessConfig>(
  name: string,
  loadConfig: () => Config,
  start: (config: Config, log: Logger, starting: Starting) => Promise<RunningService>,
): Promise<void> {
  const config = configOrExit(name, loadConfig);
  const log = createLogger({ service: name, level: config.LOG_LEVEL });
  let running: RunningService | null = null;
  let waitsFor: Record<string, PartHealth> | null = null;
  const onWaiting: Starting['onWaiting'] = (parts) => {
    waitsFor = parts;
  };
  let tracing: Tracing | null = null;
  let isStopping = false;
  collectRuntimeMetrics();

  const stop = (reason: string, exitCode: number): void => {
    if (isStopping) return;
    isStopping = true;
    log.info({ reason }, 'stopping');
    const stopBy = performance.now() + stopLimitMs - exitMs;
    setTimeout(() => {
      log.error({ stopLimitMs }, 'did not drain in time; another replica will repeat the unfinished work');
      process.exit(1);
    }, stopLimitMs).unref();
    (async () => {
      await running?.drain();
      await running?.stop();
      await tracing?.stop(Math.max(0, Math.min(lastSpansMs, stopBy - performance.now())));
      log.info('stopped');
      process.exit(exitCode);
    })().catch((error: unknown) => {
      log.error({ err: coerceError(error) }, 'failed to stop cleanly');
      process.exit(1);
    });
  };
  process.on('SIGTERM', () => stop('SIGTERM', 0));
  process.on('SIGINT', () => stop('SIGINT', 0));
  if (process.channel) process.on('disconnect', () => stop('parent is gone', 0));
  // The state after an uncaught error is unknown. The process ends, and the supervisor starts a new one.
  process.on('uncaughtException', (error) => {
    if (error instanceof ConfigError) exitMisconfigured(log, error);
    log.fatal({ err: error }, 'uncaught error');
    stop('uncaught error', 1);
  });

  try {
    await startHealthServer({
      host: config.HEALTH_HOST,
      port: config.HEALTH_PORT,
      async health() {
        if (isStopping) return { process: 'stopping' };
        return running ? running.health() : { process: 'starting', ...waitsFor };
      },
    });
    tracing = await startTracing(name, config, log);
    running = await start(config, log, { onWaiting });
    log.info('started');
  } catch (error) {
    if (error instanceof ConfigError) exitMisconfigured(log, error);
    log.fatal({ err: coerceError(error) }, 'failed to start');
    process.exit(1);
  }
}

function configOrExit<Config>(name: string, loadConfig: () => Config): Config {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exit(misconfiguredCode);
  }
}

function exitMisconfigured(log: Logger, error: ConfigError): never {
  log.fatal({ err: error }, 'a setting is wrong');
  process.exit(misconfiguredCode);
}
