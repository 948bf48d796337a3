import { type DestinationStream, type Logger, pino } from 'pino';
import { throttleRepeated } from './throttle.ts';

export type { Logger } from 'pino';
export { callFields } from './call-fields.ts';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Redacted on three levels (pino has no wildcard for all), as a second protection: code never logs bodies. */
const secretProperties = [
  'authorization',
  'password',
  'secret',
  'token',
  'accessToken',
  'apiKey',
  'licenseKey',
  'cookie',
  'url',
  'connectionString',
];
// The details of a Postgres error contain the refused row.
const rowDetails = ['err.detail', 'err.where'];
const redactedPaths = [...secretProperties.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), ...rowDetails];

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
    redact: { paths: redactedPaths, censor: '***' },
    hooks: throttle.hooks,
  };
  // Synchronous: pino's default buffers, and at exit it tries forever to write to a pipe without a reader.
  const log = pino(settings, options.destination ?? pino.destination({ dest: 1, sync: true }));
  throttle.reportTo(log);
  return log;
}
