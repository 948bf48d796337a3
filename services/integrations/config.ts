import {
  atBasePath,
  basePath,
  commaSeparated,
  commonSettings,
  databaseSettings,
  encryptionKey,
  encryptionKeys,
  httpAddress,
  integer,
  loadConfig,
  publicAddress,
  secret,
  streamSettings,
} from '@yardarm/shared/config';
import { readAllowedPrivate } from '@yardarm/shared/http';

export const settings = {
  ...commonSettings,
  ...streamSettings,
  ...databaseSettings,
  INTEGRATIONS_ALLOWED_PRIVATE: commaSeparated
    .superRefine((entries, context) => {
      for (const message of readAllowedPrivate(entries).problems) context.addIssue({ code: 'custom', message });
    })
    .default([])
    .describe(
      'Host names, addresses and CIDRs that may be called although they are loopback or private; with a port, only on that port',
    ),
  UNLEASH_URL: publicAddress.optional().describe('The public address of this system, for the links in messages'),
  BASE_URI_PATH: basePath.default('').describe('The path in front of every route of the gateway, for the same links'),
  INTEGRATIONS_SLACK_API_URL: httpAddress
    .default('https://slack.com/api')
    .describe("Slack's Web API, for App for Slack"),
  INTEGRATIONS_DATADOG_URL: httpAddress
    .default('https://api.datadoghq.com/api/v1/events')
    .describe("Datadog's events endpoint, for integrations that name no other"),
  INTEGRATIONS_ENCRYPTION_KEY: secret(
    encryptionKey.describe('The key that encrypts the parameters of integrations in the database: 32 bytes in base64'),
  ),
  INTEGRATIONS_ENCRYPTION_OTHER_KEYS: secret(
    encryptionKeys.describe(
      'Keys that only decrypt, comma-separated: the old one after a rotation, the new one before it',
    ),
  ),
  INTEGRATIONS_DISABLE_AFTER_DAYS: integer(1, 365)
    // Longer than the 75 hours of one delivery, so that deliveries of the outage have used all attempts.
    .default(5)
    .describe('An integration is disabled when its endpoint has failed for so many days without a success'),
  HTTP_PROXY: secret(httpAddress.optional().describe('The proxy that calls to http: addresses go through')),
  HTTPS_PROXY: secret(httpAddress.optional().describe('The proxy that calls to https: addresses go through')),
  NO_PROXY: commaSeparated.default([]).describe('Hosts that are called without a proxy, comma-separated'),
  INTEGRATIONS_RETENTION_DAYS: integer(10, 3_650)
    // The minimum of ten days is longer than any schedule of retries, Retry-After included.
    .default(30)
    .describe('How long outcomes are kept, with their deliveries, attempts and events'),
};

export type IntegrationsConfig = ReturnType<typeof loadIntegrationsConfig>;

export function loadIntegrationsConfig(environment: Record<string, string | undefined> = process.env) {
  // The lower-case names are equally old, and curl prefers them.
  const { http_proxy, https_proxy, no_proxy } = environment;
  const lowerCase = { HTTP_PROXY: http_proxy, HTTPS_PROXY: https_proxy, NO_PROXY: no_proxy };
  const lowerCaseValues = Object.fromEntries(Object.entries(lowerCase).filter(([, value]) => value));
  const config = loadConfig(settings, { ...environment, ...lowerCaseValues });
  linkBase(config);
  return config;
}

/** What the links in messages begin with; null without a public address. */
export function linkBase({
  UNLEASH_URL,
  BASE_URI_PATH,
}: Pick<IntegrationsConfig, 'UNLEASH_URL' | 'BASE_URI_PATH'>): string | null {
  return UNLEASH_URL === undefined ? null : atBasePath(UNLEASH_URL, BASE_URI_PATH);
}
