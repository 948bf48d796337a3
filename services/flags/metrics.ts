import { Counter, metrics, ScrapedGauge } from '@yardarm/shared/telemetry';

export const largestEnvironment = new ScrapedGauge({
  name: 'yardarm_flags_largest_environment_bytes',
  help: 'The size of what SDKs read of the largest environment, as ENVIRONMENT_BYTES_LIMIT counts it',
});

export const largestProject = new ScrapedGauge({
  name: 'yardarm_flags_largest_project_bytes',
  help: 'The size of what SDKs read of the largest project in an environment, as PROJECT_BYTES_LIMIT counts it',
});

export const replacedApplications = new Counter({
  name: 'yardarm_flags_applications_replaced_total',
  help: 'Applications that were deleted for newer ones of their token or environment',
  registers: [metrics],
});

export const omittedApplicationEvents = new Counter({
  name: 'yardarm_flags_application_events_omitted_total',
  help: 'Events of applications that were not made, since their token had made its events of the day',
  registers: [metrics],
});

export const omittedUsageEntries = new Counter({
  name: 'yardarm_flags_usage_entries_omitted_total',
  help: 'Rows of usage and names of variants that were not made, since their token had made its entries of the day',
  registers: [metrics],
});

export const begunEpochs = new Counter({
  name: 'yardarm_flags_epochs_begun_total',
  help: 'Epochs that began because deleted projects and flags had left many rows; gateways and SDKs read all again',
  registers: [metrics],
});
