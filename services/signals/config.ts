import { commonSettings, databaseSettings, integer, loadConfig, streamSettings } from '@yardarm/shared/config';
import { maxFilterValues, maxPerSet, maxRatePerSecond, maxTokensPerEndpoint } from '@yardarm/shared/contracts/signals';

export const settings = {
  ...commonSettings,
  ...streamSettings,
  ...databaseSettings,
  SIGNAL_ENDPOINT_RATE_LIMIT_PER_SECOND: integer(1, maxRatePerSecond)
    // The public product allows one.
    .default(1)
    .describe(
      'The most signals that one endpoint accepts in any second, over all gateways, if it has no rate of its own',
    ),
  UNLEASH_SIGNAL_ENDPOINTS_LIMIT: integer(1, 10_000).default(5).describe('The most signal endpoints there can be'),
  UNLEASH_SIGNAL_TOKENS_PER_ENDPOINT_LIMIT: integer(1, maxTokensPerEndpoint)
    .default(5)
    .describe('The most tokens that one signal endpoint can have'),
  UNLEASH_ACTION_SETS_PER_PROJECT_LIMIT: integer(1, 10_000)
    .default(5)
    .describe('The most action sets that one project can have'),
  // The contract has at most as many actions and filters in a set, and values in a filter.
  UNLEASH_ACTION_SET_ACTIONS_LIMIT: integer(1, maxPerSet)
    .default(10)
    .describe('The most actions that one action set can have'),
  UNLEASH_ACTION_SET_FILTERS_LIMIT: integer(1, maxPerSet)
    .default(5)
    .describe('The most filters that one action set can have'),
  UNLEASH_ACTION_SET_FILTER_VALUES_LIMIT: integer(1, maxFilterValues)
    .default(25)
    .describe('The most distinct values that one filter can have'),
  SIGNALS_RETENTION_DAYS: integer(8, 36_500)
    // The stream delivers a signal for up to seven days, and a key is repeated for one: both must meet the stored row.
    .default(30)
    .describe('Signals that were stored longer ago are deleted, at the latest a day later'),
  SIGNALS_STEP_RETRY_MINUTES: integer(1, 1_440)
    // A restart takes seconds and an outage of flags minutes. flags keeps the outcome of a step for 7 days.
    .default(60)
    .describe('For how long a step of an action set is retried that flags does not answer'),
};

export type SignalsConfig = ReturnType<typeof loadSignalsConfig>;

/** Throws ConfigError, which lists every problem. */
export function loadSignalsConfig(environment: Record<string, string | undefined> = process.env) {
  return loadConfig(settings, environment);
}
