import { type DestinationStream, type Logger, pino } from 'pino';
import { GatheredLines } from './gathered-lines.ts';
import { maskingSerializers, maskSecrets } from './mask-secrets.ts';
import { throttleRepeated } from './throttle.ts';

export type { Logger } from 'pino';
export { callFields } from './call-fields.ts';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

let output: GatheredLines | undefined;

/** One for all loggers of the process, which keeps the order of their lines. */
function standardOutput(): GatheredLines {
  // Synchronous: pino's default buffers, and at exit it tries forever to write to a pipe without a reader.
  output ??= new GatheredLines(pino.destination({ dest: 1, sync: true }));
  return output;
}

/**
 * Creates the JSON logger of a service. An error in the log requires an operator; a healthy system logs none. Warnings
 * and errors that repeat are left out and counted.
 */
export function createLogger(options: { service: string; level: LogLevel; destination?: DestinationStream }): Logger {
  const throttle = throttleRepeated();
  const settings = {
    level: options.level,
    base: { service: options.service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: maskSecrets },
    serializers: maskingSerializers,
    hooks: throttle.hooks,
  };
  const log = pino(settings, options.destination ?? standardOutput());
  throttle.reportTo(log);
  return log;
}
