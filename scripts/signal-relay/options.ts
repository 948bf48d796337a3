import { integer, loadConfig, secret } from '@yardarm/shared/config';
import { z } from 'zod';
import { senderNames } from './signatures.ts';

export const settings = {
  RELAY_SENDER: z.enum(senderNames).describe('Whose webhooks the relay accepts'),
  RELAY_SECRET: secret(
    z
      .string()
      .min(1, 'should not be empty')
      .describe(
        'The secret with which the sender signs: the secret of the webhook (GitHub), or the client secret (Sentry)',
      ),
  ),
  RELAY_URL: z
    .url({ protocol: /^https?$/, error: 'should be an http:// or https:// URL' })
    .describe('The address of the signal endpoint'),
  RELAY_TOKEN: secret(z.string().min(1, 'should not be empty').describe('A token of the signal endpoint')),
  RELAY_HOST: z.string().default('127.0.0.1').describe('The address on which the relay listens'),
  RELAY_PORT: integer(0, 65_535).default(4300).describe('The port on which the relay listens'),
};

/** Reads the settings of the relay. Throws ConfigError, which lists every problem. */
export function readRelayOptions(environment: NodeJS.ProcessEnv = process.env) {
  const given = loadConfig(settings, environment);
  return {
    sender: given.RELAY_SENDER,
    secret: given.RELAY_SECRET,
    url: given.RELAY_URL,
    token: given.RELAY_TOKEN,
    host: given.RELAY_HOST,
    port: given.RELAY_PORT,
  };
}

export type RelayOptions = ReturnType<typeof readRelayOptions>;
