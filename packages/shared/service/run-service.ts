import { ConfigError } from '../config/index.ts';
import { coerceError } from '../errors/index.ts';
import { createLogger, type Logger, type LogLevel } from '../log/index.ts';
import { collectRuntimeMetrics } from '../telemetry/index.ts';
import { type Health, startHealthServer } from './health.ts';

/** A started service. `drain` takes no new work and finishes what is in flight; `stop` then lets go of everything. */
export interface RunningService {
  health: Health;
  /** Resolves when every background loop of the service has nothing left to do that it knows of. For tests: drain, never sleep. */
  processAll(): Promise<void>;
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** Kubernetes kills after 30 s by default and our promise is 10: what does not drain by then never will. */
const stopLimitMs = 9_500;

/**
 * The whole life of a service process: configure, start, serve health, and on SIGTERM or SIGINT drain, stop, exit 0.
 *
 *   starting -> running -> draining -> stopped
 *
 * starting: health answers, /ready says 503. running: /ready asks the service. draining: /ready says 503, work in flight goes on.
 * stopped: exit code 0; 1 when draining took longer than the limit, when starting failed, or after an error nobody caught.
 * A process whose parent opened an IPC channel (`npm start`) also stops when the parent is gone.
 */
export async function runService<Config extends { LOG_LEVEL: LogLevel; HEALTH_HOST: string; HEALTH_PORT: number }>(
  name: string,
  loadConfig: () => Config,
  start: (config: Config, log: Logger) => Promise<RunningService>,
): Promise<void> {
  const config = configOrExit(name, loadConfig);
  const log = createLogger({ service: name, level: config.LOG_LEVEL });
  let running: RunningService | null = null;
  let isStopping = false;
  collectRuntimeMetrics();

  const stop = (reason: string, exitCode: number): void => {
    if (isStopping) return;
    isStopping = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => {
      log.error({ stopLimitMs }, 'did not drain in time; what is unfinished will be done again by another');
      process.exit(1);
    }, stopLimitMs).unref();
    (async () => {
      await running?.drain();
      await running?.stop();
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
  // The state after an error that nobody caught is unknown: end, and let the supervisor start a clean process.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an error that nobody caught');
    stop('uncaught error', 1);
  });

  try {
    await startHealthServer({
      host: config.HEALTH_HOST,
      port: config.HEALTH_PORT,
      health: async () => (isStopping ? { process: 'stopping' } : running ? running.health() : { process: 'starting' }),
    });
    running = await start(config, log);
    log.info('started');
  } catch (error) {
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
    process.exit(1);
  }
}
