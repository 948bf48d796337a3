import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * Where secrets could stand in what is logged, at the top and one and two levels down (pino's redaction has no "anywhere").
 * Code logs ids and names, never bodies; this is the net below it.
 */
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
// What Postgres says in detail of a row that it refused is the row itself.
const refusedRows = ['err.detail', 'err.where'];
const redactedPaths = [...secretProperties.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), ...refusedRows];

/** A JSON logger for one service. ERROR means that somebody must act; in a healthy system there are none. */
export function createLogger(options: { service: string; level: LogLevel; destination?: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: redactedPaths, censor: '***' },
  };
  // Written at once: pino's own default buffers, and at exit tries for ever to write into a pipe whose reader is gone.
  return pino(settings, options.destination ?? pino.destination({ dest: 1, sync: true }));
}
