import { commaSeparated, commonSettings, databaseSettings, loadConfig } from '@yardarm/shared/config';
import { readAllowedPrivate } from '@yardarm/shared/http';
import { z } from 'zod';

const address = z
  .url({ protocol: /^https?$/, error: 'should be an http:// or https:// URL' })
  .transform((url) => url.replace(/\/+$/, ''));

export const settings = {
  ...commonSettings,
  ...databaseSettings,
  INTEGRATIONS_ALLOWED_PRIVATE: commaSeparated
    .superRefine((entries, context) => {
      for (const message of readAllowedPrivate(entries).faults) context.addIssue({ code: 'custom', message });
    })
    .default([])
    .describe('Host names, addresses and CIDRs that may be called although they are loopback or private'),
  UNLEASH_URL: address
    .optional()
    .describe('The address under which people reach this system, for the links in messages'),
  INTEGRATIONS_SLACK_API_URL: address.default('https://slack.com/api').describe("Slack's Web API, for App for Slack"),
  INTEGRATIONS_DATADOG_URL: address
    .default('https://api.datadoghq.com/api/v1/events')
    .describe("Datadog's events endpoint, for integrations that name no other"),
};

export type IntegrationsConfig = ReturnType<typeof loadIntegrationsConfig>;

/** Reads the settings of integrations; throws ConfigError with every fault. */
export function loadIntegrationsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}
