import { commonSettings, integer, loadConfig } from '@yardarm/shared/config';
import { z } from 'zod';

export const settings = {
  ...commonSettings,
  HOST: z.string().default('127.0.0.1').describe('Address of the public listener; loopback unless set'),
  PORT: integer(0, 65535).default(4242).describe('Port of the public listener'),
  UNLEASH_URL: z
    .url({ protocol: /^https?$/, error: 'should be an http:// or https:// URL' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('The address under which people reach this system, for the links that they are given'),
  REQUEST_TIMEOUT_MS: integer(100, 60_000)
    // A write is milliseconds; ten seconds outlast a restart of the service behind it, and most callers give up later.
    .default(10_000)
    .describe('How long a request may take behind the gateway before it is answered 504, in milliseconds'),
  SIGNAL_PAYLOAD_LIMIT_BYTES: integer(1, 900_000)
    // interface.md, Limits: 100 kb. Above 900 kB a signal does not fit a NATS message of the default size.
    .default(102_400)
    .describe('The largest body of a signal, in bytes'),
};

export type GatewayConfig = ReturnType<typeof loadGatewayConfig>;

/** The address in links to this system, without a slash at its end. */
export function publicUrl({ UNLEASH_URL, PORT }: Pick<GatewayConfig, 'UNLEASH_URL' | 'PORT'>): string {
  return UNLEASH_URL ?? `http://localhost:${PORT}`;
}

/** Reads the gateway's settings; throws ConfigError with every fault. */
export function loadGatewayConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}
