import { commaSeparated, commonSettings, databaseSettings, loadConfig } from '@yardarm/shared/config';
import { readAllowedPrivate } from '@yardarm/shared/http';

export const settings = {
  ...commonSettings,
  ...databaseSettings,
  INTEGRATIONS_ALLOWED_PRIVATE: commaSeparated
    .superRefine((entries, context) => {
      for (const message of readAllowedPrivate(entries).faults) context.addIssue({ code: 'custom', message });
    })
    .default([])
    .describe('Host names, addresses and CIDRs that may be called although they are loopback or private'),
};

export type IntegrationsConfig = ReturnType<typeof loadIntegrationsConfig>;

/** Reads the settings of integrations; throws ConfigError with every fault. */
export function loadIntegrationsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}
